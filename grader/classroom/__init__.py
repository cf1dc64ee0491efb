"""What an instructor meets: nbgrader's steps, with the judge where nbgrader would run Python."""

from ..errors import CourseError
from ..submissions import open_nbgrader


class ClassroomError(CourseError):
    """Whoever runs the course can fix it: a step is missing, or two commands meet."""


open_nbgrader()  # before any module of this room imports what it needs of nbgrader
