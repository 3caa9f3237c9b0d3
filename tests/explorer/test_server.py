"""``hedgehog explore`` as a process: who can read the token, and what answers while something takes long."""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

import pytest

from hedgehog.explorer.library import Library
from hedgehog.explorer.solving import SolveJob, SpotRequest
from hedgehog.runtime.errors import ResourceError
from hedgehog.runtime.serving.worker import Worker
from tests.explorer.explored import RIVER, explored, get, post

_BOUND_S: Final = 120
_BROWSER: Final = """\
#!{python}
import json, os, re, sys, time, urllib.request
from pathlib import Path

out = Path({out!r})
file = Path(sys.argv[1].removeprefix("file://"))
address = re.search(r'url=([^"]+)"', file.read_text())[1]
with urllib.request.urlopen(address + "api/1/items", timeout={bound}) as response:
    items = json.load(response)
report = {{"pid": os.getpid(), "file": str(file), "address": address, "items": items}}
out.with_suffix(".new").write_text(json.dumps(report))
out.with_suffix(".new").rename(out)
end = time.monotonic() + {bound}
while time.monotonic() < end:  # a browser that runs in the foreground
    time.sleep(0.1)
"""


def wait_for(found: Callable[[], bool]) -> None:
    end = time.monotonic() + _BOUND_S
    while not found():
        assert time.monotonic() < end
        time.sleep(0.05)


def command_lines() -> str:
    """Returns the arguments of all processes, as every user of the machine can read them."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            found.append(entry.read_bytes().replace(b"\0", b" ").decode(errors="replace"))
        except OSError:  # the process has ended
            continue
    return "\n".join(found)


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="there is no /proc here")
def test_a_browser_in_the_foreground_gets_answers_and_no_argument_holds_the_token(tmp_path: Path) -> None:
    out, script = tmp_path / "report.json", tmp_path / "browser"
    script.write_text(_BROWSER.format(python=sys.executable, out=str(out), bound=_BOUND_S))
    script.chmod(0o755)
    command = [sys.executable, "-m", "hedgehog.cli", "explore", "--solves", str(tmp_path / "solves")]
    environment = {**os.environ, "BROWSER": f"{script} %s", "TMPDIR": str(tmp_path)}
    server = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
    browser = None
    try:
        wait_for(out.exists)
        report = json.loads(out.read_text())
        browser = report["pid"]
        assert report["items"]["items"]
        token = re.search(r"/([0-9a-f]{32})/$", report["address"])
        assert token is not None
        seen = command_lines()
        assert str(script) in seen
        assert token[1] not in seen
        file = Path(report["file"])
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
        assert server.stdout is not None
        assert report["address"] in server.stdout.readline()
    finally:
        if browser is not None:
            os.kill(browser, 9)
        server.terminate()
        code = server.wait(_BOUND_S)
    assert code == 0
    assert not file.parent.exists()


@pytest.mark.parametrize(
    ("request_name", "content"),
    [("estimate", {"spot": RIVER}), ("read", {"spot": RIVER}), ("start", {"spot": RIVER, "name": "mine"})],
)
def test_a_large_spot_leaves_other_requests_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request_name: str, content: dict[str, object]
) -> None:
    began, go_on = threading.Event(), threading.Event()

    def slow(worker: Worker, function: str, *args: object) -> Any:
        began.set()
        assert go_on.wait(_BOUND_S)
        raise ResourceError("enough")

    monkeypatch.setattr(Worker, "call", slow)
    with explored(solves=tmp_path / "solves") as (client, _), ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(post, client, f"solve/{request_name}", content, status=409)
        try:
            assert began.wait(_BOUND_S)
            assert get(client, "solve")["state"] == "none"
            assert get(client, "items")["can_solve"]
            assert post(client, "solve/range", {"text": "AA"})["cells"] == {"AA": 1}
            assert post(client, "solve/write", {"form": {"pot": "7"}}) == {"spot": "pot: 7\n"}
            assert not waiting.done()
        finally:
            go_on.set()
        assert "enough" in waiting.result()["error"]


def test_an_estimate_makes_way_for_a_newer_request(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    began, broken_off = threading.Event(), threading.Event()

    def slow(worker: Worker, function: str, *args: object) -> Any:
        began.set()
        assert broken_off.wait(_BOUND_S)
        raise ResourceError("broken off")

    jobs = SolveJob(Library(), tmp_path)
    jobs.make_way()  # nothing is under way
    monkeypatch.setattr(Worker, "call", slow)
    monkeypatch.setattr(Worker, "break_off", lambda worker: broken_off.set())
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(jobs.estimate, SpotRequest(spot=RIVER))
        assert began.wait(_BOUND_S)
        jobs.make_way()
        assert waiting.result(_BOUND_S) == {"broken_off": True}
        with pytest.raises(ResourceError, match="broken off"):  # its process has died by itself
            jobs.estimate(SpotRequest(spot=RIVER))
    broken_off.clear()
    jobs.make_way()
    assert not broken_off.is_set()


@pytest.mark.process
def test_a_call_that_is_broken_off() -> None:
    worker = Worker("time")
    try:
        with ThreadPoolExecutor(1) as pool:
            waiting = pool.submit(worker.call, "sleep", 2 * _BOUND_S)
            wait_for(lambda: worker._process is not None)
            worker.break_off()
            with pytest.raises(ResourceError, match="has ended"):
                waiting.result(_BOUND_S)
        assert worker.call("sleep", 0) is None
    finally:
        worker.close()
