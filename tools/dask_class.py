"""How fast a class is graded by two workers of a Dask cluster on this machine, beside two jobs.

    python -m tools.dask_class

It takes minutes, and needs the extra `cluster`. docs/teach.md has the figure.
"""

import tempfile
from pathlib import Path

from distributed import LocalCluster

from grader import course

from .class_speed import CLASS, JOBS, made_class, measured


def main() -> None:
    lesson = max(course.lessons(), key=lambda lesson: len(lesson.wrong_kernels))
    with tempfile.TemporaryDirectory(prefix="dask-") as folder:
        plain, other = (made_class(Path(folder), lesson, CLASS // 2, CLASS // 2) for _ in range(2))
        usual = measured(plain, "autograde", lesson.name, "--jobs", str(JOBS)).seconds
        with LocalCluster(n_workers=JOBS, threads_per_worker=1, dashboard_address=None) as cluster:
            address = cluster.scheduler_address
            dask = measured(other, "autograde", lesson.name, "--scheduler", address).seconds
    print(f"time with Dask over that with --jobs {JOBS}: {dask / usual:.2f} (at most 1.15)")


if __name__ == "__main__":
    main()
