"""The server with a native worker behind it, through the scenarios of the wire: real processes.

No Mac is needed, so three workers stand for ExecuTorch's own:

    embedded   plays its dialect (`tests.native`) on the embedded model, so that answers are judged
    scripted   plays its dialect on a script
    compiled   the worker itself, patched and built on an engine that makes answers up: the program
               that MUSE_NATIVE_WORKER names, and that `patches/prove.py --keep-worker` keeps

What is skipped is skipped by the scenarios, each with its reason: a native worker takes one picture
a request, computes the prompt of a picture anew, tells nothing of drafting, and does not say what
is resident.
"""

from __future__ import annotations

import io
import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from harness.cli import main
from harness.target import missing_extra
from tests.native.folder import PLAYED, ROOT, make_folder, server_arguments

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.acceptance

COMPILED = "MUSE_NATIVE_WORKER"
NUMBERS = ", ".join(map(str, range(1, 90)))
THOUGHT = " to=self<|message|>I count one by one, and then I am done.<|eom|><|start|>assistant"
CALL = (
    " to=get_weather<|message|><atem:function_calls>\n"
    '<atem:invoke name="get_weather">\n'
    '<atem:parameter name="city">Lisbon</atem:parameter>\n'
    "</atem:invoke>\n</atem:function_calls><|eot|>"
)
SCRIPT: dict[str, Any] = {
    "step_ms": 3.0,
    "prefill_ms_per_token": 0.2,
    "replies": [
        {
            "match": "Reasoning strength: medium.",
            "text": f"{THOUGHT} to=user<|message|>{NUMBERS}.<|eot|>",
        },
        {"match": "weather in Lisbon", "text": CALL},
        {"match": "from 1 to 300", "text": f" to=user<|message|>{NUMBERS}.<|eot|>"},
        {"match": "🚀", "text": " to=user<|message|>🚀 👩‍👩‍👧 e\u0301 你好 नमस्ते<|eot|>"},
        {"text": " to=user<|message|>One, two, three, four, five.<|eot|>"},
    ],
}
UNDECIDED = {
    # What a server refuses to offer, what does not happen, and what is not claimed or not told.
    *("n.choices", "error.frame", "target.claims", "resume.resident"),
    # What these models do not write, or do not call.
    *("text.characters", "calls.shape", "calls.arguments", "calls.finish"),
}
"""Checks that need not pass anywhere in a part, though they were skipped with their reason."""
DISTURBED = ("dirty", "; but ")
"""What a verdict says that the machine was too busy for."""


def run(suite: str, folder: Path, *arguments: str) -> dict[str, dict[str, Any]]:
    """The parts of a suite by name, when its reports were derived again."""
    out, err = io.StringIO(), io.StringIO()
    asked = ["run", "--suite", str(ROOT / "tests" / "acceptance" / f"{suite}.toml"), "--json"]

    code = main([*asked, "--out", str(folder), "--", *arguments], out, err)

    parts = json.loads(out.getvalue() or '{"parts": []}')["parts"]
    assert code in {0, 3}, err.getvalue()
    assert main(["report", str(folder), "--check"], io.StringIO(), io.StringIO()) == 0
    return {part["name"]: part for part in parts}


def check(parts: dict[str, dict[str, Any]], folder: Path) -> None:
    """Nothing failed; what was skipped has its reason, and is of what may be."""
    assert {name: part["problem"] for name, part in parts.items() if part["problem"]} == {}
    assert [name for name, part in parts.items() if part["outcome"] == "skip"] == []
    for name in parts:
        result = json.loads((folder / name / "result.json").read_text(encoding="utf-8"))
        told = result["verdicts"]
        passed, skipped, unsure, failed = (
            [v for v in told if v["outcome"] == outcome]
            for outcome in ("pass", "skip", "inconclusive", "fail")
        )
        assert failed == []
        assert [v for v in unsure if not any(why in v["message"] for why in DISTURBED)] == []
        assert [v for v in skipped if not v["message"]] == []
        assert {v["check"] for v in skipped} - {v["check"] for v in passed} <= UNDECIDED


@pytest.mark.embedded
@pytest.mark.skipif(bool(missing_extra()), reason="needs the extra [embedded]")
def test_the_embedded_model_keeps_every_promise_in_the_native_dialect(tmp_path: Path) -> None:
    """Sessions, edits, warmth, limits, figures, pictures, stops: all that does not need ours."""
    folder = tmp_path / "run"

    parts = run("native", folder, *server_arguments((*PLAYED, "--artifact_mode=dflash")))

    check(parts, folder)
    assert len(parts) == 8


def workers() -> list[Any]:
    """The command of each worker that needs no model."""
    told = os.environ.get(COMPILED, "")
    paced = ("env", "FAKE_STEP_MS=20", "FAKE_PREFILL_MS=2", "FAKE_CONTEXT=4096")
    reason = f"{COMPILED} names no compiled worker"
    return [
        pytest.param(PLAYED, id="scripted"),
        pytest.param(
            (*paced, told), id="compiled", marks=pytest.mark.skipif(not told, reason=reason)
        ),
    ]


@pytest.mark.parametrize("worker", workers())
def test_the_wire_is_kept(worker: tuple[str, ...], tmp_path: Path) -> None:
    """Streams and refusals are OpenAI's, and a stopped turn is over and touches nothing else."""
    pytest.importorskip("fastapi", reason="needs the extra [server]")
    model, folder = make_folder(tmp_path / "model", SCRIPT), tmp_path / "run"

    parts = run("native-wire", folder, *server_arguments(worker, model))

    check(parts, folder)
    assert len(parts) == 2
