"""Records of the trace that are no program text: metrics, cache hits, symbolic shapes, side effects and whatever a
newer torch adds. Long text becomes a file; everything is listed in metadata.json."""

from typing import List

from depyf.torch.artifacts.file import Context, File
from depyf.torch.trace import Event

_INTO_METADATA_ONLY = 400  # characters


def wants(event: Event) -> bool:
    """Text that no other kind has taken and that is too long for a line of the index."""
    if event.name == "dynamo_cpp_guards_str":
        return False  # full_code_for_* shows the guards
    return event.payload is not None and len(event.payload) > _INTO_METADATA_ONLY


def render(event: Event, context: Context) -> List[File]:
    """One text or JSON file."""
    payload = event.payload or ""
    suffix = "json" if payload[:1] in "{[" else "txt"
    safe = "".join(char if char.isalnum() or char in "._-" else "_" for char in event.name)
    return [File("%s.%s.%%d.%s" % (context.function, safe, suffix), payload, event.name, event.compile_id, event.name)]
