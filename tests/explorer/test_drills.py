"""Drills and graded hands in the explorer: the page gets questions without answers, and judgements with them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from hedgehog.analysis.drills.progress import load_progress
from hedgehog.analysis.grading.parts import read_store
from hedgehog.explorer.app import create_app
from hedgehog.explorer.items.kinds import items_at
from hedgehog.explorer.library import Library
from hedgehog.runtime.documents import json_text
from hedgehog.runtime.errors import InputError
from tests.analysis.drills.drilled import write_solve, write_store
from tests.explorer.explored import BASE, HOST, TOKEN, explored, get, post


def start(client: TestClient, item: str, **more: Any) -> Any:
    return post(client, "drill/start", {"item": item, "seed": 3, **more})


@pytest.mark.slow
def test_faults_are_asked_and_judged_by_their_stored_evs(tmp_path: Path) -> None:
    store, progress = write_store(tmp_path / "store", gridless=(0,)), tmp_path / "progress.txt"
    library = Library()
    library.add(store)
    app = create_app(library, token=TOKEN, hosts=[HOST], progress=progress)
    with TestClient(app, base_url=BASE, raise_server_exceptions=False) as client:
        found = start(client, "store")
        session, question = found["session"], found["question"]
        assert question["choices"] == ["check", "bet 500"]
        assert "ev" not in json.dumps(question).lower().replace("seven", "")
        assert found["kept"]
        other = start(client, "store", spot="river first")["question"]
        assert other["title"] == "alice, hand 0 of a.log, against bob"
        assert "nothing to drill" in post(client, "drill/start", {"item": "store", "spot": "turn"}, status=400)["error"]
        assert post(client, "drill/grid", {"session": session, "number": 1}, status=400)["error"].startswith("answer")
        assert post(client, "drill/next", {"session": session})["question"] == question
        judged = post(client, "drill/answer", {"session": session, "number": 1, "choice": 0})
        assert (judged["right"], judged["loss_pct"], judged["box"], judged["days"]) == (False, 30.0, 1, 1)
        assert [choice["ev"] for choice in judged["choices"]] == [2.0, 5.0]
        assert judged["played_loss"] == 3.0
        assert judged["has_grid"]
        grid = post(client, "drill/grid", {"session": session, "number": 1})
        assert grid["cells"]["AKs"] == [0.1]
        again = {"session": session, "number": 1, "choice": 1}
        assert "answered already" in post(client, "drill/answer", again, status=400)["error"]
        assert post(client, "drill/next", {"session": session})["number"] == 2
        wrong = {"session": session, "number": 2, "choice": 9}
        assert "expected a choice below 2" in post(client, "drill/answer", wrong, status=400)["error"]
        assert not post(client, "drill/answer", {"session": session, "number": 2, "choice": 1})["has_grid"]
        refused = post(client, "drill/grid", {"session": session, "number": 2}, status=400)
        assert "not known" in refused["error"]
        end = post(client, "drill/next", {"session": session})
        assert end["question"] is None
        assert end["summary"][0].startswith("1 of 2 right")
        assert "has ended" in post(client, "drill/next", {"session": 99}, status=400)["error"]
    assert [card.box for card in load_progress(progress).cards()] == [2, 1]


def test_a_solve_is_drilled(tmp_path: Path) -> None:
    with explored(write_solve(tmp_path / "solve")) as (client, names):
        found = start(client, names[0], streets=[3])
        assert not found["kept"]
        judged = post(client, "drill/answer", {"session": found["session"], "number": 1, "choice": 0})
        assert sum(choice["frequency"] for choice in judged["choices"]) == pytest.approx(1, abs=1e-3)
        assert min(choice["loss"] for choice in judged["choices"]) == 0
        assert post(client, "drill/grid", {"session": found["session"], "number": 1})["is_strategy"]
        assert "begins on the river" in post(client, "drill/start", {"item": names[0], "kind": "same", "streets": [1]},
                                             status=400)["error"]  # fmt: skip
        assert "kind" in post(client, "drill/start", {"item": names[0], "kind": "other"}, status=400)["error"]
        assert client.post(f"{BASE}/api/1/drill/nothing", json={}).status_code == 404


def test_a_store_and_its_json_file_show_the_same_decisions(tmp_path: Path) -> None:
    store = write_store(tmp_path / "store")
    (tmp_path / "grade.json").write_text(json_text(read_store(store)[0].document(worst=20)))
    with explored(store, tmp_path / "grade.json") as (client, names):
        shown = [get(client, f"items/{name}")["content"] for name in names]
        assert [each["can_drill"] for each in shown] == [True, False]
        assert shown[0]["worst"] == shown[1]["worst"]
        assert [each["loss_bb"] for each in shown[0]["worst"]] == [3.0, 1.0]
        assert shown[0]["streets"][0]["decisions"] == 3
        for name in names:
            found = get(client, f"items/{name}/decision", number=0)
            assert [(choice["text"], choice["ev"]) for choice in found["choices"]] == [
                ("check", 2.0),
                ("bet 5 BB", 5.0),
            ]
            assert found["grid"]["AKs"] == [0.1, 0.5]
            assert found["story"][0]["text"] == "button raises to 5 BB, big blind calls 4 BB"
            refused = client.get(f"{BASE}/api/1/items/{name}/decision", params={"number": "7"})
            assert (refused.status_code, "below 2" in refused.json()["error"]) == (400, True)
        refused = post(client, "drill/start", {"item": names[1]}, status=400)["error"]
        assert "expected a store of hedgehog grade" in refused
        (store / "part-000000.json").write_text("damaged\n")
        assert client.get(f"{BASE}/api/1/items/{names[0]}").status_code in (400, 409)


@pytest.mark.parametrize("text", ['{"format": "hedgehog.grading"}', '{"format": "hedgehog.grading", "worst": 3'])
def test_a_damaged_document_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "grade.json").write_text(text)
    with pytest.raises(InputError, match="is no document of hedgehog grade"):
        items_at(tmp_path / "grade.json")
