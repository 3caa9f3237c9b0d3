"""The table of faults in ``docs/dealer-faults.md`` and the tests are in step."""

from __future__ import annotations

import re
from pathlib import Path

from tests.dealer.fault_fixtures import ROOT
from tests.dealer.line_faults import LINE_FAULTS


def test_the_docs_list_these_faults_and_no_others() -> None:
    rows = [line for line in (ROOT / "docs" / "dealer-faults.md").read_text().splitlines() if line.endswith("` |")]
    documented = [re.findall(r"`([^`]+)`", row.rsplit("|", 2)[1]) for row in rows]
    here = {name for row in documented for name in row if "::" not in name}
    modules = [path.read_text() for path in Path(__file__).parent.glob("test_*_faults.py")]
    functions = {name for text in modules for name in re.findall(r"^def (test_fault_\w+)", text, re.MULTILINE)}
    assert here == functions | {f"test_line_fault[{name}]" for name in LINE_FAULTS}
    assert len(here) >= 25
    for name in {name for row in documented for name in row if "::" in name}:
        path, function = name.split("::")
        assert f"def {function}(" in (ROOT / path).read_text(), name
