"""What an instructor meets: nbgrader's steps, with the judge where nbgrader would run Python."""


class ClassroomError(Exception):
    """Something an instructor can mend; the message is one sentence that says what and how."""
