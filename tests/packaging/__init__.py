"""What users install, held against what they have already."""
