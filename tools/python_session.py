# SPDX-License-Identifier: Apache-2.0
"""A Python interpreter that is given one piece of code after the other, and what each of them prints."""
import json
import os
import selectors
import subprocess
import time

MARK = "---- here ends what the block prints ----\n"
DRIVER = f"""
import json, os, sys, traceback
codes = os.fdopen(os.dup(0))
os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
names = {{"__name__": "__main__"}}
for line in codes:
    try:
        exec(compile(json.loads(line), "<block>", "exec"), names)
    except Exception:
        traceback.print_exc()
        sys.exit(1)
    sys.stdout.flush()
    sys.stderr.flush()
    os.write(1, {MARK.encode()!r})
"""


class Ended(Exception):
    """The interpreter went away: its exit status and what it had printed; a status of None is that of who was late."""

    def __init__(self, status, printed):
        super().__init__(status, printed)
        self.status, self.printed = status, printed


class PythonSession:
    def __init__(self, python, folder, environment):
        self._process = subprocess.Popen([str(python), "-c", DRIVER], cwd=folder, env=environment,
                                         stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def run(self, code: str, seconds: float) -> str:
        """What the code prints; Ended where the interpreter is gone after it."""
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write(json.dumps(code).encode() + b"\n")
        self._process.stdin.flush()
        printed, until = b"", time.monotonic() + seconds
        with selectors.DefaultSelector() as ready:
            ready.register(self._process.stdout, selectors.EVENT_READ)
            while not printed.endswith(MARK.encode()):
                if not ready.select(max(0, until - time.monotonic())):
                    self.close()
                    raise Ended(None, printed.decode(errors="replace"))
                piece = os.read(self._process.stdout.fileno(), 1 << 16)
                if not piece:
                    raise Ended(self._process.wait(), printed.decode(errors="replace"))
                printed += piece
        return printed.decode(errors="replace").removesuffix(MARK)

    def close(self):
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            try:
                stream.close()
            except BrokenPipeError:
                pass
