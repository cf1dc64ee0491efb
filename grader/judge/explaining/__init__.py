"""Why an element is wrong, in sentences: what it was made of, beside what the solution makes."""
