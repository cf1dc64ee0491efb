"""What an instructor meets: nbgrader's steps, with the judge where nbgrader would run Python."""

from ..errors import CourseError


class ClassroomError(CourseError):
    """Whoever runs the course can fix it: a step is missing, or two commands meet."""
