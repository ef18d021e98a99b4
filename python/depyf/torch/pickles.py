"""Bytecode of a frame as dill files: `dill.load(open(path, "rb"))` gives the code object back."""

import dis
import io
from types import CodeType
from typing import Callable, Iterator

from depyf.decompiler import Decompiler
from depyf.torch.artifacts.file import File


def bytecode_files(
    name: str,
    original: CodeType,
    transformed: CodeType,
    note: Callable[[str, BaseException], None],
    compile_id: str,
    readable: bool,
) -> Iterator[File]:
    """The original, the transformed and the decompiled code; `note` hears which of them cannot be made.

    With `readable`, the disassembly of the first two as well.
    """
    makers = {
        "original_bytecode": lambda: original,
        "transformed_bytecode": lambda: transformed,
        "decompiled_and_compiled_back_bytecode": lambda: Decompiler.decompile_and_compile_like(transformed, original),
    }
    for kind, make in makers.items():
        try:
            code = make()
            yield File("%s.py.%s" % (name, kind), _pickled(code), kind, compile_id, kind.replace("_", " "))
        except Exception as error:
            note("%s.%s" % (name, kind), error)
            continue
        if readable:
            yield File("%s.%s.txt" % (name, kind), _disassembly(code), kind, compile_id, "Disassembly")


def _pickled(code: CodeType) -> bytes:
    import dill

    data: bytes = dill.dumps(code)
    return data


def _disassembly(code: CodeType) -> str:
    text = io.StringIO()
    dis.dis(code, file=text)
    return text.getvalue()
