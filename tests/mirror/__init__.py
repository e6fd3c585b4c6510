"""The sync held against everything a service and a machine can do."""
