"""What has been compiled so far: frames and their transformed codes."""

from types import CodeType
from typing import Any, Dict, List, Optional, Set

from depyf.torch import compat
from depyf.torch.artifacts import bindings
from depyf.torch.artifacts.transformed import Text
from depyf.utils import collect_all_code_objects


class Frame:
    """One transformed code. Holds no tensors and no user objects."""

    def __init__(
        self,
        original: CodeType,
        transformed: CodeType,
        running: CodeType,
        name: str,
        compile_id: str,
        text: Text,
        variables: Dict[str, Any],
    ) -> None:
        self.original = original
        self.transformed = transformed
        self.running = running
        self.name = name
        self.compile_id = compile_id
        self.text = text
        self.guards = ""
        self.imports = bindings.reachable(original, transformed, variables)
        self.resumes: Dict[str, CodeType] = {}
        self.graph = ""
        self._look_up_names(variables)

    def _look_up_names(self, variables: Dict[str, Any]) -> None:
        for code in collect_all_code_objects(self.transformed):
            for name in code.co_names:
                if compat.COMPILED_FUNCTION.fullmatch(name):
                    self.graph = compat.stable_name(name)
                if name.startswith("__resume_at_"):
                    inner = compat.resume_code(variables.get(name))
                    if inner is not None:
                        self.resumes[name] = inner


class Frames:
    """All frames, in the order of compilation."""

    def __init__(self) -> None:
        self.all: List[Frame] = []
        self.guards: Dict[str, str] = {}  # compile id -> torch's text
        self._by_code: Dict[int, Frame] = {}

    def add(
        self,
        original: CodeType,
        transformed: CodeType,
        running: CodeType,
        name: str,
        compile_id: str,
        text: Text,
        variables: Dict[str, Any],
    ) -> Frame:
        """A new frame."""
        frame = Frame(original, transformed, running, name, compile_id, text, variables)
        self.all.append(frame)
        self._by_code[id(running)] = frame
        return frame

    def of(self, running: CodeType) -> Optional[Frame]:
        """The frame whose code runs (the frame keeps it alive, so its id is its own)."""
        return self._by_code.get(id(running))

    def compiled_from(self, original: CodeType) -> List[Frame]:
        """The frames of one function, in the order of compilation."""
        return [frame for frame in self.all if frame.original is original]

    def roots(self) -> List[CodeType]:
        """Originals that are no other frame's resume function, in order; a resume function whose frame is gone is one."""
        resumed: Set[int] = {id(code) for frame in self.all for code in frame.resumes.values()}
        result: List[CodeType] = []
        for frame in self.all:
            if id(frame.original) not in resumed and frame.original not in result:
                result.append(frame.original)
        return result
