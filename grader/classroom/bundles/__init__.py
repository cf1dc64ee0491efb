"""Places where people grade already: a lesson packed so that another system judges it."""
