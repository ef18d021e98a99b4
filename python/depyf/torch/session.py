"""prepare_debug and debug: the hooks go in, the dump comes out, the user's program runs as it would have run."""

import os
import threading
from contextlib import ContextDecorator
from types import CodeType
from typing import Any, Dict, Iterator, List, Optional, Tuple

from depyf.report import index
from depyf.torch import compat, edited, relink
from depyf.torch.artifacts import dispatch, graphs, kernels, records, runnable, transformed
from depyf.torch.artifacts.file import Context, File
from depyf.torch.collect import Frame, Frames
from depyf.torch.dump import Dump
from depyf.torch.pickles import bytecode_files
from depyf.torch.trace import GRAPHS, Event, Tap
from depyf.utils import collect_all_code_objects

_KINDS: Any = (graphs, kernels, runnable, records)

_sessions: List["Session"] = []
_last_folder: Optional[str] = None
_last: Optional["Session"] = None


class Session(ContextDecorator):
    """One `prepare_debug`. May be entered again after exit, and from inside itself."""

    def __init__(self, folder: str, clean_wild_fx_code: bool, log_bytecode: bool) -> None:
        self._folder = os.fspath(folder)
        self._clean = clean_wild_fx_code
        self._log_bytecode = log_bytecode
        self._depth = 0
        self._lock = threading.RLock()

    def __enter__(self) -> "Session":
        self._depth += 1
        if self._depth == 1:
            self._start()
        return self

    def __exit__(self, *exception: Any) -> None:
        if self._depth == 0:
            return
        self._depth -= 1
        if self._depth == 0:
            self._stop()

    # ------------------------------------------------------------------ life

    def _start(self) -> None:
        global _last_folder
        self.dump = Dump(self._folder)
        self.frames = Frames()
        self.events: List[Event] = []
        self._functions: Dict[str, str] = {}
        self._origins: Dict[str, str] = {}
        self._graph_texts: Dict[str, Tuple[str, Dict[str, str]]] = {}
        self._graphs: List[Any] = []  # (weak reference, path, text)
        self._waiting: List[Any] = []  # generated modules that are not loaded yet: (origin, path, lines above)
        self.changed_codes: Dict[int, CodeType] = {}  # see edited.py
        self._counters = compat.counters()
        _last_folder = self.dump.root
        try:
            _ = self.dump.folder
        except OSError as error:
            self.dump._failed(self._folder, error)
        self._tap = Tap(self._on_event, self.dump.note)
        self._tap.attach()
        self._hook = compat.register_bytecode_hook(self._on_bytecode)
        _sessions.append(self)

    def _stop(self) -> None:
        global _last, _last_folder
        _last = self
        self._hook.remove()
        self._tap.detach()
        _sessions.remove(self)
        if self.dump.foreign:
            return
        _last_folder = self.dump.folder if os.path.isdir(self.dump.root) else self.dump.root
        for step in (
            self._relink_modules,
            self._relink_graphs,
            self._add_older,
            self.write_full_code,
            self._write_index,
        ):
            try:
                step()
            except Exception as error:
                self.dump.note(step.__name__.strip("_"), error)

    # ----------------------------------------------------------------- hooks

    def _on_bytecode(self, original: CodeType, new: CodeType) -> Optional[CodeType]:
        if self.dump.foreign:
            return None
        try:
            with self._lock:
                self._tap.attach()
                self._relink_modules()
                self._relink_graphs(last=False)
                return self._add_frame(
                    original, new, compat.compile_id(), compat.frame_globals(), relinked=True
                ).running
        except Exception as error:
            self.dump.note("transformed code of %s" % original.co_name, error)
            return None

    def _on_event(self, event: Event) -> None:
        if self.dump.foreign:
            return
        with self._lock:
            self.events.append(event._replace(payload=None) if event.payload and len(event.payload) > 5000 else event)
            self._remember(event)
            for kind in _KINDS:
                if kind.wants(event):
                    self._write_event(kind, event)
                    break
            if event.name.endswith("compilation_metrics"):
                self._relink_modules()

    def _remember(self, event: Event) -> None:
        if event.name == "dynamo_start" and event.stack:
            self._origins[event.compile_id] = event.stack[-1]
        if event.function:
            self._functions[event.compile_id] = event.function
            if GRAPHS.get(event.name) == "Captured_Graph" and event.payload:
                text = event.payload.strip("\n") + "\n"
                self._graph_texts[event.function] = text, graphs.imports_of(event, text)
        if event.name == "dynamo_cpp_guards_str" and event.payload:
            self.frames.guards[event.compile_id] = event.payload

    def _context(self, compile_id: str) -> Context:
        function = self._functions.get(compile_id)
        if function is None:
            function = (
                "compile_" + "".join(c if c.isalnum() else "_" for c in compile_id) if compile_id else "no_compile"
            )
        return Context(function, self._origins.get(compile_id, ""))

    def _write_event(self, kind: Any, event: Event) -> None:
        context = self._context(event.compile_id)
        if self._clean and kind is graphs and not event.compile_id and not event.function:
            return
        for file in kind.render(event, context):
            path = self.dump.write(file)
            if path is None or not isinstance(file.content, str):
                continue
            if kind is graphs and event.module is not None:
                self._graphs.append((event.module, path, file.content))
            elif kind is kernels:
                shift = file.content.count("\n") - (event.payload or "").count("\n")
                self._waiting.append((kernels.origin_of(event), path, shift))

    # --------------------------------------------------------------- re-line

    def _relink_modules(self) -> None:
        """Points generated modules that are loaded by now at their dumped text."""
        left = []
        for origin, path, lines in self._waiting:
            try:
                if not relink.module_to_file(origin, path, lines):
                    left.append((origin, path, lines))
            except Exception as error:
                self.dump.note("breakpoints in %s" % os.path.basename(path), error)
        self._waiting = left

    def _relink_graphs(self, last: bool = True) -> None:
        """Points graphs at their dumped text. A graph may be compiled anew, or for the first time, after it was
        logged, so all are looked at again in the end, where those that have not run yet are compiled (`last`)."""
        for reference, path, text in self._graphs if last else self._graphs[-8:]:
            module = reference()
            if module is not None:
                self._relink_graph(module, path, text, last)
        copied = [graph for graph in self._graphs if not self._has_kernel(graph[1])]
        if last and copied:
            for module in compat.live_graphs():
                for _, path, text in copied:
                    if self._relink_graph(module, path, text, True):
                        break

    def _relink_graph(self, module: Any, path: str, text: str, compile_now: bool) -> bool:
        try:
            if compile_now:
                compat.compile_graph(module)
            return relink.graph_to_file(module, path, text)
        except Exception as error:
            self.dump.note("breakpoints in %s" % os.path.basename(path), error)
            return False

    def _has_kernel(self, path: str) -> bool:
        """Whether Inductor's code runs instead of the graph in `path`."""
        function = os.path.basename(path).split(".")[0]
        return any(file.name.startswith(function + ".kernel_") for file in self.dump.written)

    def _add_frame(
        self, original: CodeType, new: CodeType, compile_id: str, variables: Dict[str, Any], relinked: bool
    ) -> Frame:
        """Dumps one transformed code. `relinked`: its instructions shall point at the file."""
        name = self.dump.reserve(transformed.file_stem(original))
        context = self._context(compile_id)
        origin = "%s:%d in %s" % (original.co_filename, original.co_firstlineno, original.co_name)
        then = context.function + ".Captured_Graph" if compile_id in self._functions else ""
        text = transformed.render(new, name, compile_id, origin, then, variables)
        path = self.dump.write(
            File(name + ".py", text.module, "transformed_code", compile_id, "Decompiled code of %s" % original.co_name)
        )
        if text.problem:
            self.dump.note("source of %s" % name, text.problem)
        running = new
        if path is not None and relinked:
            users = collect_all_code_objects(original)[1:]
            running = relink.to_file(new, path, text.line_map, text.shift, text.shift + 1, users)
        for file in bytecode_files(name, original, new, self.dump.note, compile_id, self._log_bytecode):
            self.dump.write(file)
        frame = self.frames.add(original, new, running, name, compile_id, text, variables)
        return frame

    # ------------------------------------------------------------------- end

    def _add_older(self) -> None:
        """Functions compiled before we came: their entries are dumped, what runs is left as it is."""
        for code in compat.compiled_codes():
            for entry in compat.cache_entries(code):
                if self.frames.of(entry.code) is None:
                    variables = getattr(getattr(entry, "guard_manager", None), "global_scope", None) or {}
                    self._add_frame(code, entry.code, compat.entry_compile_id(entry), variables, relinked=False)

    def write_full_code(self) -> None:
        """One full_code_for file for each function that is not a resume function of another."""
        for original in self.frames.roots():
            self.dump_source(original)

    def dump_source(self, original: CodeType) -> str:
        """Writes the full code of one function and returns the text."""
        text = dispatch.render(original, self._entries, self._decompiled)
        name = "full_code_for_%s_%%d.py" % transformed.identifier(original.co_name)
        self.dump.write(File(name, text, "full_code", "", "All of %s" % original.co_name))
        return text

    def _entries(self, code: CodeType) -> List[dispatch.Entry]:
        return [self._entry(frame) for frame in self._frames_of(code)]

    def _frames_of(self, code: CodeType) -> Iterator[Frame]:
        """In the order of Dynamo's search where the cache still exists, else in that of compilation."""
        found = []
        for entry in compat.cache_entries(code):
            frame = self.frames.of(entry.code)
            if frame is not None:
                frame.guards = compat.entry_guards(entry)
                found.append(frame)
        yield from found
        yield from (frame for frame in self.frames.compiled_from(code) if frame not in found)

    def _entry(self, frame: Frame) -> dispatch.Entry:
        graph, imports = self._graph_texts.get(frame.graph, ("", {}))
        return dispatch.Entry(
            name=frame.name,
            compile_id=frame.compile_id,
            function=frame.text.helpers + frame.text.function,
            guards=frame.guards or self.frames.guards.get(frame.compile_id, ""),
            graph_name=frame.graph,
            graph=graph,
            imports={**frame.imports, **imports},
            resumes=frame.resumes,
        )

    def _decompiled(self, code: CodeType, name: str) -> str:
        text = transformed.render(code, name, "", "", "")
        return text.helpers + text.function

    def _write_index(self) -> None:
        summary = index.Summary(
            written=self.dump.written,
            events=self.events,
            notes=self.dump.notes,
            missing=compat.missing(),
            counters=index.difference(self._counters, compat.counters()),
            frames=[(frame.name, frame.compile_id, frame.text.verdict) for frame in self.frames.all],
        )
        self.dump.write(File("metadata.json", index.metadata(summary), "metadata"))
        self.dump.write(File("index.md", index.page(summary), "index"))


def prepare_debug(dump_src_dir: str, clean_wild_fx_code: bool = True, log_bytecode: bool = False) -> Session:
    """A context manager under which everything that torch.compile does is dumped into `dump_src_dir`.

        with depyf.prepare_debug("./dump_src_dir"):
            main()

    The program runs as it would without: the bytecode that runs is Dynamo's own, only its file name and line table are
    changed so that debuggers, profilers and tracebacks show the dumped files. All hooks are gone after exit.

    clean_wild_fx_code: leave out graphs that belong to no compiled frame.
    log_bytecode: also write the disassembly of the original and of the transformed code.
    """
    return Session(dump_src_dir, clean_wild_fx_code, log_bytecode)


def current() -> Optional[Session]:
    """The innermost session in progress."""
    return _sessions[-1] if _sessions else None


class _Debug(ContextDecorator):
    def __enter__(self) -> None:
        if _sessions:
            raise RuntimeError("depyf.debug() must stand after depyf.prepare_debug(), not inside it")
        if _last_folder is None:
            raise RuntimeError("depyf.debug() needs the dump of an earlier depyf.prepare_debug()")
        self._stance = compat.no_recompilation()
        self._stance.__enter__()
        print(
            "depyf: paused. The files are in %s; start with full_code_for_*.py. Set breakpoints in the "
            "__transformed_code_*, __compiled_fn_* files or in your own, then continue." % _last_folder,
            flush=True,
        )
        breakpoint()
        self._undo = edited.run_changed_files(_last, lambda text: print("depyf: " + text, flush=True)) if _last else []

    def __exit__(self, *exception: Any) -> None:
        while self._undo:
            self._undo.pop()()
        self._stance.__exit__(*exception)


def debug() -> _Debug:
    """A context manager that pauses the program in the debugger, so that breakpoints can be set in the files dumped by
    an earlier `prepare_debug`; the code under it runs without compiling anything anew.

    Dumped files that have been changed by the end of the pause run as they then stand, until debug() ends: write
    `breakpoint()` or `print` into them. (full_code_for_* is for reading.)

    Raises RuntimeError inside of `prepare_debug`, or where there was none.
    """
    return _Debug()
