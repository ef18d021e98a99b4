"""What the command line writes: one form a file. Each is a function from values to text."""
