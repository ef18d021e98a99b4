"""index.md for people and metadata.json for programs: everything that was dumped, in the order in which it happened."""

import json
from typing import Any, Dict, List, NamedTuple, Sequence, Tuple

Counters = Dict[str, Dict[str, int]]


class Summary(NamedTuple):
    """What a session knows at its end."""

    written: Sequence[Any]  # name, kind, compile_id, title
    events: Sequence[Any]  # see depyf.torch.trace.Event
    notes: Sequence[str]
    missing: Dict[str, str]
    counters: Counters
    frames: Sequence[Tuple[str, str, str]]  # name, compile id, verdict of the decompiler


def difference(before: Counters, after: Counters) -> Counters:
    """What has been counted since."""
    result: Counters = {}
    for group, counts in after.items():
        earlier = before.get(group, {})
        changed = {key: value - earlier.get(key, 0) for key, value in counts.items() if value != earlier.get(key, 0)}
        if changed:
            result[group] = changed
    return result


def metadata(summary: Summary) -> str:
    """JSON; `events` holds the trace's records without their long texts."""
    document = {
        "files": [
            {"name": file.name, "kind": file.kind, "compile_id": file.compile_id, "title": file.title}
            for file in summary.written
        ],
        "transformed_codes": [
            {"name": name, "compile_id": compile_id, "verdict": verdict} for name, compile_id, verdict in summary.frames
        ],
        "events": [
            {"name": event.name, "compile_id": event.compile_id, "time": event.when, "metadata": event.metadata}
            for event in summary.events
        ],
        "counters": summary.counters,
        "not_dumped": list(summary.notes),
        "not_in_this_torch": summary.missing,
    }
    return json.dumps(document, indent=1, default=repr) + "\n"


def page(summary: Summary) -> str:
    """Markdown."""
    lines = ["# What torch.compile did", ""]
    lines += ["Start with full_code_for_*.py; the rest is in the order in which it happened.", ""]
    lines += _table(
        ("file", "what", "compile id"),
        [(_link(file.name), file.title or file.kind, file.compile_id) for file in _sorted(summary.written)],
    )
    for title, rows in (
        ("Kinds of files", _kinds(summary)),
        ("Decompiled codes", [(name, compile_id, verdict) for name, compile_id, verdict in summary.frames]),
        ("Compilations", _compilations(summary.events)),
        ("Graph breaks", _texts(summary.events, "dynamo_graph_break_reason")),
        ("Recompilations", _texts(summary.events, "recompile_reasons")),
        ("Caches", _caches(summary.events)),
        ("Symbolic shapes", _symbols(summary.events)),
        ("Side effects", _texts(summary.events, "dynamo_side_effects")),
        (
            "Counters",
            [(group, key, str(value)) for group, counts in summary.counters.items() for key, value in counts.items()],
        ),
        ("Not dumped", [(note, "", "") for note in summary.notes]),
        ("Not in this torch", [(kind, reason, "") for kind, reason in summary.missing.items()]),
    ):
        if rows:
            lines += ["", "## " + title, ""] + _table(_HEADINGS.get(title, ("what", "", "")), rows)
    return "\n".join(lines) + "\n"


_HEADINGS = {
    "Kinds of files": ("kind", "files", "where there are none: when torch makes one"),
    "Decompiled codes": ("code", "compile id", "proof"),
    "Compilations": ("compile id", "function", "seconds"),
    "Graph breaks": ("compile id", "reason", ""),
    "Recompilations": ("compile id", "reason", ""),
    "Caches": ("compile id", "cache", ""),
    "Symbolic shapes": ("compile id", "symbol", "where"),
    "Side effects": ("compile id", "effect", ""),
    "Counters": ("group", "counter", "count"),
}


_MADE = {  # kind -> when torch makes it
    "transformed_code": "whenever Dynamo compiles a frame",
    "Captured_Graph": "whenever Dynamo captures a graph",
    "Joint_graph": "AOTAutograd, where an input or a parameter requires grad",
    "Forward_graph": "as Joint_graph",
    "Backward_graph": "as Joint_graph, as soon as the backward pass is compiled",
    "Inference_graph": "AOTAutograd, where nothing requires grad",
    "Before_pre_grad_graph": "Inductor",
    "After_pre_grad_graph": "Inductor",
    "Before_joint_graph": "Inductor, with Inference_graph",
    "After_joint_graph": "Inductor, with Inference_graph",
    "Before_post_grad_graph": "Inductor, unless the graph comes from its cache",
    "Post_grad_graph": "Inductor, unless the graph comes from its cache",
    "kernel": "Inductor",
    "fx_graph_runnable": "Inductor, unless the graph comes from its cache",
    "DDP_split_graph": "DistributedDataParallel with buckets",
    "DDP_split_child": "as DDP_split_graph",
    "Compiled_autograd_graph": "compiled autograd",
    "Exported_program": "torch.export.draft_export; torch.export.export leaves no record",
}


def _kinds(summary: Summary) -> List[Tuple[str, str, str]]:
    """Every kind that there is or might be, so that nothing is silently absent."""
    counts: Dict[str, int] = {}
    for file in summary.written:
        counts[file.kind] = counts.get(file.kind, 0) + 1
    rows = [(kind, str(count), "") for kind, count in sorted(counts.items())]
    none = [kind for kind in _MADE if kind not in counts]
    return rows + [(kind, "0", summary.missing.get(kind, _MADE[kind])) for kind in none]


def _sorted(written: Sequence[Any]) -> List[Any]:
    return [file for file in written if file.kind == "full_code"] + [f for f in written if f.kind != "full_code"]


def _link(name: str) -> str:
    return "[%s](%s)" % (name.replace("_", "\\_"), name)


def _table(heading: Tuple[str, str, str], rows: Sequence[Sequence[str]]) -> List[str]:
    lines = ["| %s |" % " | ".join(heading), "|---|---|---|"]
    return lines + ["| %s |" % " | ".join(_cell(value) for value in row) for row in rows]


def _cell(value: str) -> str:
    return str(value).replace("|", "\\|").replace("\n", "<br>")


def _texts(events: Sequence[Any], name: str) -> List[Tuple[str, str, str]]:
    result = []
    for event in events:
        if event.name == name:
            text = event.payload or json.dumps(event.metadata, default=repr)
            result.append((event.compile_id, text.strip()[:2000], ""))
    return result


def _compilations(events: Sequence[Any]) -> List[Tuple[str, str, str]]:
    result = []
    for event in events:
        if event.name.endswith("compilation_metrics") and isinstance(event.metadata, dict):
            found = event.metadata
            seconds = found.get("entire_frame_compile_time_s") or found.get("duration_us", 0) / 1e6
            name = found.get("co_name") or ("backward" if event.name.startswith("bwd") else "")
            result.append((event.compile_id, str(name), "%.3f" % seconds))
    return result


def _caches(events: Sequence[Any]) -> List[Tuple[str, str, str]]:
    words = ("_cache_hit", "_cache_miss", "_cache_bypass")
    return [(event.compile_id, event.name, "") for event in events if event.name.endswith(words)]


def _symbols(events: Sequence[Any]) -> List[Tuple[str, str, str]]:
    result = []
    for event in events:
        if event.name in ("create_symbol", "symbolic_shape_specialization") and isinstance(event.metadata, dict):
            found = event.metadata
            text = "%s = %s, range %s" % (
                found.get("symbol"),
                found.get("val", found.get("value")),
                found.get("vr", ""),
            )
            result.append((event.compile_id, text, str(found.get("source", found.get("sources", "")))))
    return result
