"""The subcommands of `depyf`, one file each: `add(commands)` declares the options, `run(options)` returns the exit status.

0: done, for `decompile` all proved, for `verify` the same. 1: something not. 2: wrong usage or unreadable input.
"""

DONE, DIFFERENT, UNREADABLE = 0, 1, 2
