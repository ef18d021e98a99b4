"""The tap: records of torch's structured trace become events, keyed by compile id.

A record's `metadata` is a dict with one key for its kind and a few for its context; `payload` is text. A record of kind
"artifact" carries its name inside. Names not known here are kept as they are.
"""

import logging
import threading
import time
import weakref
from typing import Any, Callable, Dict, List, NamedTuple, Optional

from depyf.torch import compat

_CONTEXT = {
    "rank",
    "compiled_autograd_id",
    "frame_id",
    "frame_compile_id",
    "attempt",
    "severity",
    "timestamp",
    "pathname",
    "thread",
    "subgraph_name",
    "stack",
    "has_payload",
}

# Bulk without news: the trace's own book-keeping, profiles and cache keys (megabytes each).
_DROPPED = {
    "chromium_event",
    "str",
    "link",
    "describe_storage",
    "describe_tensor",
    "describe_source",
    "graph_dump",
    "inductor_provenance_tracking_node_mappings",
    "inductor_provenance_tracking_kernel_stack_traces",
    "torch._functorch.config",
    "runtime_wrapper_orchestration",
}
# (What ends in _BYTECODE is dumped as a code object.)
_LONGEST_JSON = 20000  # characters; cache records list the whole configuration

GRAPHS = {
    "dynamo_output_graph": "Captured_Graph",
    "aot_joint_graph": "Joint_graph",
    "aot_forward_graph": "Forward_graph",
    "aot_backward_graph": "Backward_graph",
    "aot_inference_graph": "Inference_graph",
    "before_pre_grad_graph": "Before_pre_grad_graph",
    "after_pre_grad_graph": "After_pre_grad_graph",
    "before_joint_graph": "Before_joint_graph",
    "after_joint_graph": "After_joint_graph",
    "before_post_grad_graph": "Before_post_grad_graph",
    "inductor_post_grad_graph": "Post_grad_graph",
    "optimize_ddp_split_graph": "DDP_split_graph",
    "optimize_ddp_split_child": "DDP_split_child",
    "compiled_autograd_graph": "Compiled_autograd_graph",
    "exported_program": "Exported_program",
}


class Event(NamedTuple):
    """One record of the trace."""

    name: str  # as torch calls it
    compile_id: str  # "frame/attempt", "" outside of a compilation
    metadata: Any
    payload: Optional[str]
    when: float  # seconds since the epoch
    stack: List[str]  # interned strings resolved: "file:line in function"
    function: str  # the compiled function's name, "" where the record does not show it
    module: Optional["weakref.ref[Any]"]  # the live graph module of a graph


class Tap(logging.Handler):
    """Hands every event to `receive`, and never lets an exception out."""

    def __init__(self, receive: Callable[[Event], None], failed: Callable[[str, BaseException], None]) -> None:
        super().__init__(logging.DEBUG)
        self._receive = receive
        self._failed = failed
        self._strings: Dict[int, str] = {}
        self._inside = threading.local()

    def attach(self) -> None:
        """Listens from now on. Safe to call again: torch removes all handlers when logging is configured anew."""
        logger = compat.trace_logger()
        if logger is not None and self not in logger.handlers:
            logger.addHandler(self)

    def detach(self) -> None:
        """Listens no more."""
        logger = compat.trace_logger()
        if logger is not None:
            logger.removeHandler(self)
        self.close()

    def handle(self, record: logging.LogRecord) -> bool:
        """Called by the logging module; filters and locks are not needed."""
        if getattr(self._inside, "busy", False):
            return True
        self._inside.busy = True
        try:
            self._take(record)
        except Exception as error:
            self._failed("trace record", error)
        finally:
            self._inside.busy = False
        return True

    def _take(self, record: logging.LogRecord) -> None:
        metadata = getattr(record, "metadata", None)
        if not isinstance(metadata, dict):
            return
        for kind, value in metadata.items():
            if kind in _CONTEXT:
                continue
            if kind == "str":
                self._strings[value[1]] = value[0]
                continue
            name = str(value.get("name", kind)) if kind == "artifact" and isinstance(value, dict) else kind
            if name not in _DROPPED and not name.endswith("_BYTECODE"):
                self._receive(self._event(name, value, metadata, record))

    def _event(self, name: str, value: Any, metadata: Dict[str, Any], record: logging.LogRecord) -> Event:
        payload = getattr(record, "payload", None)
        text = payload if isinstance(payload, str) else None
        if text is not None and name not in GRAPHS and text[:1] in "{[" and len(text) > _LONGEST_JSON:
            text = None
        function, module = "", None
        if name in GRAPHS:
            function, module = compat.graph_in_progress(GRAPHS[name])
        stack = value.get("stack", []) if isinstance(value, dict) else []
        return Event(
            name=name,
            compile_id=_compile_id(metadata),
            metadata=value,
            payload=text,
            when=time.time(),
            stack=[self._frame(entry) for entry in stack if isinstance(entry, dict)],
            function=compat.stable_name(function),
            module=None if module is None else weakref.ref(module),
        )

    def _frame(self, entry: Dict[str, Any]) -> str:
        name = entry.get("filename")
        file = self._strings.get(name, str(name)) if isinstance(name, int) else str(name)
        return "%s:%s in %s" % (file, entry.get("line"), entry.get("name"))


def _compile_id(metadata: Dict[str, Any]) -> str:
    frame, attempt = metadata.get("frame_id"), metadata.get("frame_compile_id")
    autograd = metadata.get("compiled_autograd_id")
    text = "" if frame is None else "%s/%s" % (frame, attempt)
    return text if autograd is None else "!%s" % autograd + ("/" + text if text else "")
