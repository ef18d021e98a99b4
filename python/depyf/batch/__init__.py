"""Many files: task.py does one, pool.py spreads them over processes, `python -m depyf.batch` is such a process."""
