"""Everything else stands in pyproject.toml; this puts the course beside the grader in a wheel.

Lessons and notebooks lie at the top of the repository, where authors and readers find them, and
inside the package where there is no repository.
"""

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

COURSE = ("kernels", "notebooks")


class WithCourse(build_py):
    def run(self):
        super().run()
        if self.editable_mode:
            return  # the repository is there
        target = Path(self.build_lib) / "grader" / "course_files"
        shutil.rmtree(target, ignore_errors=True)
        for name in COURSE:
            left_out = shutil.ignore_patterns("__pycache__", ".ipynb_checkpoints")
            shutil.copytree(name, target / name, ignore=left_out)
        shutil.copy("nbgrader_config.py", target)
        (target / "docs").mkdir()
        shutil.copy("docs/messages.md", target / "docs")  # `grader messages` prints it


setup(cmdclass={"build_py": WithCourse})
