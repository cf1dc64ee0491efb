"""A learner's own folder: the lessons in it, what was done, a new edition, handing in."""
