"""The one writer: every file of a dump goes through here, whole or not at all, and never at the cost of the user's run."""

import os
import threading
import warnings
from typing import Dict, Iterator, List, NamedTuple, Optional, Tuple, Union

from depyf.output import files
from depyf.torch import compat
from depyf.torch.artifacts.file import File


class Written(NamedTuple):
    """A line of the index."""

    name: str
    kind: str
    compile_id: str
    title: str


class Dump:
    """A folder, or one below it for each rank."""

    def __init__(self, folder: str) -> None:
        self.root = os.path.abspath(folder)
        self.written: List[Written] = []
        self.notes: List[str] = []
        self._folder = ""
        self._texts: Dict[str, str] = {}
        self._next: Dict[str, int] = {}
        self._warned = False
        self._owner = os.getpid()
        self._lock = threading.RLock()

    @property
    def folder(self) -> str:
        """Made on first use: before the process group exists, the rank may not be known."""
        if not self._folder:
            rank = compat.rank()
            self._folder = self.root if rank is None else os.path.join(self.root, "rank_%d" % rank)
            os.makedirs(self._folder, exist_ok=True)
        return self._folder

    @property
    def foreign(self) -> bool:
        """Whether this is a forked copy of the process that owns the dump; it leaves the files alone."""
        return os.getpid() != self._owner

    def reserve(self, template: str) -> str:
        """The name with the first number that no earlier file of this dump has."""
        with self._lock:
            if "%d" not in template:
                return template
            number = self._next.get(template, 0)
            self._next[template] = number + 1
            return template % number

    def write(self, file: File) -> Optional[str]:
        """The path of the file written, None where that was not possible (noted, and warned about once)."""
        if self.foreign:
            return None
        name = self.reserve(file.name)
        try:
            path = self._write(name, file.content)
        except OSError as error:
            self._failed(name, error)
            return None
        with self._lock:
            if isinstance(file.content, str) and name.endswith(".py"):
                self._texts[path] = file.content
            self.written.append(Written(name, file.kind, file.compile_id, file.title))
        return path

    def changed(self) -> Iterator[Tuple[str, str, str]]:
        """(path, text when it was written, text now) of the Python files that someone has changed."""
        for path, old in list(self._texts.items()):
            try:
                with open(path, encoding="utf-8", newline="") as stream:
                    new = stream.read()
            except (OSError, UnicodeDecodeError):
                continue
            if new != old.encode("utf-8", "backslashreplace").decode("utf-8"):
                yield path, old, new

    def note(self, what: str, error: Union[BaseException, str]) -> None:
        """For the index: something that is missing, and why."""
        text = error if isinstance(error, str) else "%s: %s" % (type(error).__name__, error)
        line = "%s: %s" % (what, text.split("\n")[0][:300])
        with self._lock:
            if line not in self.notes:
                self.notes.append(line)

    def path(self, name: str) -> str:
        """Where a file of that name lies."""
        return os.path.join(self.folder, name)

    def _write(self, name: str, content: Union[str, bytes]) -> str:
        data = content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content
        path = self.path(name)
        files.replace(path, data)
        return path

    def _failed(self, name: str, error: OSError) -> None:
        self.note(name, error)
        if not self._warned:
            self._warned = True
            warnings.warn("depyf cannot write into %s (%s); the program goes on without the dump" % (self.root, error))
