"""Where the course's files lie. Nothing of them is read, so that who only asks where waits for
nothing.
"""

import os
from pathlib import Path

_INSTALLED = Path(__file__).with_name("course_files")  # where setup.py puts the course
WARPWISE = _INSTALLED if _INSTALLED.is_dir() else Path(__file__).parents[1]
CHOICE = "WARPWISE_COURSE"  # the environment's variable that names the folder of another course
COURSE_FILES = Path(os.environ.get(CHOICE) or WARPWISE).absolute()
KERNELS = COURSE_FILES / "kernels"
NOTEBOOKS = COURSE_FILES / "notebooks"
SERVICE = COURSE_FILES / "service.txt"  # the address of the service that takes hand-ins, if any
