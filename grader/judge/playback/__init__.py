"""What was recorded of a launch, told: a sentence for each step (`sentences`), elements as learners
write them (`elements`), what went wrong and where (`marks`), and of all steps the few that tell
most (`choice`); before that, what is to be recorded (`scene`).

The judge's worker and a learner's notebook both tell it, so that a feedback page says what the
notebook says.
"""
