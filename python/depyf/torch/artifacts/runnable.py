"""fx_graph_runnable: a program of its own that runs one graph through Inductor again."""

from typing import List

from depyf.torch.artifacts.file import Context, File, header, python_text
from depyf.torch.trace import Event


def wants(event: Event) -> bool:
    """Torch's own text of the program."""
    return event.name == "fx_graph_runnable" and event.payload is not None


def render(event: Event, context: Context) -> List[File]:
    """One file."""
    content = header(
        "Run this file to compile and run the graph of %s alone" % context.function,
        event.compile_id,
        context.origin,
        "",
    )
    name = "%s.fx_graph_runnable.%%d.py" % context.function
    text = python_text(event.payload or "")
    return [File(name, content + text, "fx_graph_runnable", event.compile_id, "Stand-alone program of the graph")]
