"""`PYTHONPATH=tests python tests/without_landlock.py COMMAND...`, where the command is
`.../bin/pytest -p as_on_a_mac`: the suite as on a Mac, as far as the grader's own code can tell.
Into an environment without NVIDIA's wheels and CuPy, once `grader lab --no-open` has fetched CUDA's
headers, as it does there.
"""

import without_posix

without_posix.take_away("darwin")

from grader.judge import worker  # noqa: E402 (what it imports is taken away by then)

worker.COMMAND = without_posix.worker("darwin")
