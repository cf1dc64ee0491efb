"""What learners hand in: read, cleaned, and taken apart into answers."""
