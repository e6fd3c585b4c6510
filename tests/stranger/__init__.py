"""Services that keep the specification and answer otherwise than the sandbox does."""
