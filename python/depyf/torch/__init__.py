"""The torch layer. Nothing in `depyf` imports this package before the user asks for it."""
