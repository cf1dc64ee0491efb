"""A page that `grader demo --live` or `grader rubric` serves, as long as the tests run."""

import asyncio
import queue
import threading

from grader.classroom import lecture


def address(shown):
    """The address at which a thread serves the page."""
    found = queue.Queue()
    served = lecture.served(shown, 0, found.put)
    threading.Thread(target=asyncio.run, args=(served,), daemon=True).start()
    return found.get(timeout=60)
