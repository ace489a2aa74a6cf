"""Does a caller see what drafting did, and can one do without it?

A scripted engine drafts three tokens a round, two of which are right. Its reply has twelve
tokens: the first, then rounds of three, of which the last ends the turn.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from playground.served import load_served_model, worker_argv
from playground.settings import Settings
from playground.testing import client_of, scripted_app

if TYPE_CHECKING:
    from pathlib import Path

REPLIES = {"step_ms": 0.0, "replies": [{"text": "<|message|>Hi, you two"}]}
DRAFTS = {"draft_tokens": 3, "tokens_per_round": 3}


def told(
    script: dict[str, Any], *bodies: dict[str, Any]
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The replies to requests with these fields, and the runtime report."""

    async def run() -> tuple[list[dict[str, Any]], dict[str, Any]]:
        async with scripted_app(script) as playground, client_of(playground) as client:
            replies = []
            for fields in bodies:
                body = {"messages": [{"role": "user", "content": "Hi"}], **fields}
                replies.append((await client.post("/v1/chat/completions", json=body)).json())
            return replies, (await client.get("/api/runtime")).json()

    return asyncio.run(run())


def drafting(reply: dict[str, Any]) -> dict[str, Any]:
    """What its metrics say of drafting."""
    metrics = reply["muse_metrics"]
    return {name: value for name, value in metrics.items() if name.startswith("dflash")}


def test_metrics_say_what_drafting_did() -> None:
    """Rounds, proposals, what was accepted, by row, and steps without a draft."""
    (reply,), _ = told(REPLIES | DRAFTS, {})

    assert drafting(reply) == {
        "dflash": "on",
        "dflash_rounds": 4,
        "dflash_proposed": 12,
        "dflash_accepted": 8,
        "dflash_attempts_by_row": [4, 4, 4],
        "dflash_accepts_by_row": [4, 4, 0],
        "dflash_plain_steps": 0,
    }
    assert reply["usage"]["completion_tokens"] == 12


def test_both_arms_run_in_one_server() -> None:
    """A request that wants no draft gets the same text, token by token."""
    (drafted, plain, again), _ = told(
        REPLIES | DRAFTS, {}, {"muse": {"dflash": False}}, {"muse": {"dflash": True}}
    )

    assert drafting(plain) == {
        "dflash": "off",
        "dflash_rounds": 0,
        "dflash_proposed": 0,
        "dflash_accepted": 0,
        "dflash_attempts_by_row": [],
        "dflash_accepts_by_row": [],
        "dflash_plain_steps": 12,
    }
    assert plain["choices"][0]["message"] == drafted["choices"][0]["message"]
    assert drafting(again) == drafting(drafted)


def test_a_worker_that_does_not_count_leaves_nulls() -> None:
    """Nothing is known, so nothing is said."""
    (reply,), report = told(REPLIES, {"muse": {"dflash": True}})

    assert set(drafting(reply).values()) == {None}
    assert report["supports"]["dflash"] is False
    assert (report["dflashBlockLength"], report["dflashEnabled"]) == (None, False)


def test_the_runtime_report_says_how_it_drafts() -> None:
    """Block and proposals, so that a reader of the metrics knows what could have been."""
    _, report = told(REPLIES | DRAFTS)

    assert report["supports"]["dflash"] is True
    assert (report["dflashBlockLength"], report["dflashDraftTokens"]) == (4, 3)
    assert report["dflashEnabled"] is True


@pytest.mark.parametrize(("dflash", "flags"), [(True, []), (False, ["--dflash", "false"])])
def test_the_worker_is_told_not_to_draft(tmp_path: Path, dflash: bool, flags: list[str]) -> None:  # noqa: FBT001
    """`--no-dflash` is the operator's, and no request can overrule it."""
    settings = Settings(script=tmp_path / "script.json", dflash=dflash)

    argv = worker_argv(load_served_model(settings), settings)

    assert argv[-len(flags) :] == flags if flags else "--dflash" not in argv
