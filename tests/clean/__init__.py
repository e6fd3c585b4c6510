"""The cleaner: any row in, a row out."""
