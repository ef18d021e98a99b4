"""What is written: one form a file, each a function from values to text, and how text gets into files."""
