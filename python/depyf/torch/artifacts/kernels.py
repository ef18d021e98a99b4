"""Inductor's generated modules: the Python wrapper with its C++ or Triton kernels."""

from typing import List

from depyf.torch.artifacts.file import Context, File, header, python_text
from depyf.torch.trace import Event


def wants(event: Event) -> bool:
    """Generated code, whether it was made just now or came out of a cache."""
    return event.name == "inductor_output_code" and event.payload is not None


def render(event: Event, context: Context) -> List[File]:
    """One file, the generated module as it is below a comment."""
    origin = origin_of(event)
    content = header(
        "Inductor's code for %s%s" % (context.function, ", loaded from %s" % origin if origin else ""),
        event.compile_id,
        context.origin,
        "",
    )
    text = python_text(event.payload or "")
    name = "%s.kernel_%%d.py" % context.function
    return [File(name, content + text, "kernel", event.compile_id, "Inductor's wrapper and kernels")]


def origin_of(event: Event) -> str:
    """The file that Inductor loads the module from; "" where the record does not say."""
    metadata = event.metadata if isinstance(event.metadata, dict) else {}
    filename = metadata.get("file_path") or metadata.get("filename")
    return filename if isinstance(filename, str) else ""
