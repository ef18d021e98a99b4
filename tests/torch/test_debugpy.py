"""Breakpoints by the debug adapter protocol, as VS Code and PyCharm set them: a client of its own talks to debugpy."""

import json
import os
import pathlib
import socket
import subprocess
import sys
import time
from typing import Any, Dict, List, Optional

import pytest
from test_breakpoints import PROGRAM, first_line_with

pytest.importorskip("debugpy")


class Client:
    """Requests, responses and events over a socket; framing as the protocol's base layer says."""

    def __init__(self, port: int) -> None:
        deadline = time.time() + 60
        while True:
            try:
                self._socket = socket.create_connection(("127.0.0.1", port), timeout=120)
                break
            except OSError:
                if time.time() > deadline:
                    raise
                time.sleep(0.2)
        self._stream = self._socket.makefile("rwb")
        self._sequence = 0
        self._pending: List[Dict[str, Any]] = []

    def send(self, command: str, **arguments: Any) -> int:
        self._sequence += 1
        message = {"seq": self._sequence, "type": "request", "command": command, "arguments": arguments}
        data = json.dumps(message).encode()
        self._stream.write(b"Content-Length: %d\r\n\r\n%s" % (len(data), data))
        self._stream.flush()
        return self._sequence

    def _read(self) -> Dict[str, Any]:
        length = 0
        while True:
            line = self._stream.readline().strip()
            if not line:
                break
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        assert length, "the adapter closed the connection"
        message: Dict[str, Any] = json.loads(self._stream.read(length))
        return message

    def _next(self, wanted: Any) -> Dict[str, Any]:
        for index, message in enumerate(self._pending):
            if wanted(message):
                return self._pending.pop(index)
        while True:
            message = self._read()
            if wanted(message):
                return message
            self._pending.append(message)

    def event(self, name: str) -> Dict[str, Any]:
        return self._next(lambda m: m["type"] == "event" and m["event"] == name)

    def response(self, sequence: int) -> Dict[str, Any]:
        message = self._next(lambda m: m["type"] == "response" and m["request_seq"] == sequence)
        assert message["success"], message
        return message

    def call(self, command: str, **arguments: Any) -> Dict[str, Any]:
        body: Dict[str, Any] = self.response(self.send(command, **arguments)).get("body", {})
        return body

    def close(self) -> None:
        self._stream.close()
        self._socket.close()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def stopped_at(client: Client) -> Dict[str, Any]:
    thread = client.event("stopped")["body"]["threadId"]
    frame: Dict[str, Any] = client.call("stackTrace", threadId=thread)["stackFrames"][0]
    frame["thread"] = thread
    return frame


def local_names(client: Client, frame: Dict[str, Any]) -> List[str]:
    scopes = client.call("scopes", frameId=frame["id"])["scopes"]
    variables = client.call("variables", variablesReference=scopes[0]["variablesReference"])["variables"]
    return [variable["name"] for variable in variables]


@pytest.mark.parametrize(
    "file, pattern, name",
    [
        ("__transformed_code_0_for_step.py", r"__compiled_fn_\d+\(", "a"),
        ("__compiled_fn_1.Captured_Graph.0.py", r"= torch\.abs", "l_a_"),
    ],
)
def test_breakpoint_is_hit(tmp_path: pathlib.Path, file: str, pattern: str, name: str) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM % "eager")
    port = free_port()
    command = [sys.executable, "-Xfrozen_modules=off", "-m", "debugpy", "--listen", "127.0.0.1:%d" % port]
    process = subprocess.Popen(
        [*command, "--wait-for-client", str(program)],
        cwd=str(tmp_path),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "PYDEVD_DISABLE_FILE_VALIDATION": "1"},
    )
    client: Optional[Client] = None
    try:
        client = Client(port)
        client.call("initialize", adapterID="test", linesStartAt1=True, columnsStartAt1=True, pathFormat="path")
        attach = client.send("attach", justMyCode=False)
        client.event("initialized")
        client.call("configurationDone")
        client.response(attach)
        pause = stopped_at(client)  # depyf.debug()
        path = tmp_path / "dump" / file
        line = first_line_with(path, pattern)
        client.call("setBreakpoints", source={"path": str(path)}, breakpoints=[{"line": line}])
        client.call("continue", threadId=pause["thread"])
        frame = stopped_at(client)
        assert (os.path.realpath(frame["source"]["path"]), frame["line"]) == (os.path.realpath(str(path)), line)
        assert name in local_names(client, frame)
        client.call("continue", threadId=frame["thread"])
        client.event("terminated")
    finally:
        if client is not None:
            client.close()
        try:
            output = process.communicate(timeout=60)[0]
        except subprocess.TimeoutExpired:
            process.kill()
            output = process.communicate()[0]
    assert "end" in output
