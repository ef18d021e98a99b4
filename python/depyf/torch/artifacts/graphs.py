"""FX graphs of Dynamo, AOTAutograd and Inductor's passes, in torch's readable form."""

from typing import Dict, List

from depyf.torch import compat
from depyf.torch.artifacts import bindings
from depyf.torch.artifacts.file import Context, File, header, python_text
from depyf.torch.trace import GRAPHS, Event

_WHAT = {
    "Captured_Graph": ("The graph that Dynamo captured", "Joint_graph (training) or Inference_graph"),
    "Joint_graph": ("Forward and backward in one graph, from AOTAutograd", "Forward_graph and Backward_graph"),
    "Forward_graph": ("The forward part of the joint graph", "kernel_0"),
    "Backward_graph": ("The backward part of the joint graph", "kernel_1"),
    "Inference_graph": ("The graph without autograd, from AOTAutograd", "kernel_0"),
    "Before_pre_grad_graph": ("The graph before Inductor's pre-grad passes", "After_pre_grad_graph"),
    "After_pre_grad_graph": ("The graph after Inductor's pre-grad passes", ""),
    "Before_joint_graph": ("The graph before Inductor's joint passes", "After_joint_graph"),
    "After_joint_graph": ("The graph after Inductor's joint passes", ""),
    "Before_post_grad_graph": ("The graph before Inductor's post-grad passes", "Post_grad_graph"),
    "Post_grad_graph": ("The graph after Inductor's post-grad passes", "kernel_0"),
    "DDP_split_graph": ("The graph that DDP splits into buckets", "DDP_split_child"),
    "DDP_split_child": ("One bucket of a graph split for DDP", ""),
    "Compiled_autograd_graph": ("The backward pass that compiled autograd captured", ""),
    "Exported_program": ("An exported program", ""),
}
_IMPORTS = "import torch\nfrom torch import device, inf, nan  # noqa: F401\n"


def wants(event: Event) -> bool:
    """Every graph that comes with its text."""
    return event.name in GRAPHS and event.payload is not None


def render(event: Event, context: Context) -> List[File]:
    """One file."""
    kind = GRAPHS[event.name]
    what, then = _WHAT[kind]
    function = event.function or context.function
    text = python_text((event.payload or "").strip("\n") + "\n")
    content = header(
        "%s of %s" % (what, function), event.compile_id, context.origin, then and "%s.%s" % (function, then)
    )
    imports = _IMPORTS + "".join(line + "\n" for line in imports_of(event, text).values()) + "\n\n"
    return [File("%s.%s.%%d.py" % (function, kind), content + imports + text, kind, event.compile_id, what)]


def imports_of(event: Event, text: str) -> Dict[str, str]:
    """Name -> import, for what a graph calls besides torch's own functions."""
    module = event.module() if event.module is not None else None
    if module is None:
        return {}
    names = [name for name in bindings.unbound(text) if name not in ("torch", "device", "inf", "nan")]
    return bindings.importable(names, compat.graph_globals(module)) if names else {}
