"""A recorded launch as a page that plays it: forwards, backwards, thread by thread.

`payload` makes data of a recording, `strip` shows a few of its steps as text, `page` puts all of it
into one HTML output. What a step is in words, and what went wrong at it, says `judge.playback`.
"""

from .page import player

__all__ = ["player"]
