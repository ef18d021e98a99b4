"""IPython: `%load_ext depyf`, then `%decompile expression`."""

from typing import Any

from depyf.decompiler import DecompilationError, decompilation
from depyf.output.instructions import with_instructions


def register(shell: Any) -> None:
    """Adds the magic to that shell."""
    shell.register_magic_function(lambda line: decompile_magic(shell, line), "line", "decompile")


def decompile_magic(shell: Any, line: str) -> None:
    """%decompile [--asm] [--align-lines] EXPRESSION: the source of a function, class, module, code object or .pyc file.

    The source comes from the bytecode, so it is there for code without a file too.
    """
    words = line.split()
    asm = _take(words, "--asm")
    align = _take(words, "--align-lines")
    expression = " ".join(words)
    if not expression:
        print("usage: %decompile [--asm] [--align-lines] EXPRESSION")
        return
    try:
        target = shell.ev(expression)
    except SyntaxError:
        target = expression  # a path without quotes
    try:
        result = decompilation(target, align_lines=align)
    except (TypeError, ValueError, OSError, DecompilationError) as error:
        print("depyf: %s" % error)
        return
    _show(with_instructions(result) if asm else result.source)
    for entry in result.diagnostics:
        print("depyf: %s, offset %d: %s" % entry)


def _take(words: Any, option: str) -> bool:
    found = option in words[:2]
    if found:
        words.remove(option)
    return found


def _show(source: str) -> None:
    """In colours where the shell can."""
    try:
        from IPython.display import Code, display
    except ImportError:
        print(source)
        return
    display(Code(source, language="python"))
