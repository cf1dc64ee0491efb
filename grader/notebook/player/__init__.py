"""A recorded launch as a page that plays it: forwards, backwards, thread by thread.

`payload` makes data of a recording, `words` a sentence of each step, `marks` says what went wrong
and where, `strip` shows a few steps as text, `page` puts all of it into one HTML output.
"""

from .marks import Mark, marks_of
from .page import player

__all__ = ["Mark", "marks_of", "player"]
