"""Tables of what a dump holds."""
