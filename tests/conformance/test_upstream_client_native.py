"""Does the wheel's `WorkerClient` take the native worker that is played for one of ExecuTorch's?

What plays it was written from the protocol, and so was this client, by others.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from tests.native.folder import PLAYED, make_folder

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from executorch.examples.llm_server.python.worker_client import WorkerClient, WorkerStats

pytestmark = pytest.mark.embedded

upstream = pytest.importorskip("executorch.examples.llm_server.python.worker_client")

GREETING = "Hello 你好 🌍"
SCRIPT = {"step_ms": 0, "replies": [{"text": f"{GREETING}<|eot|>"}]}


@pytest.fixture
def played(tmp_path: Path) -> Iterator[WorkerClient]:
    """The played worker under the wheel's client."""
    folder = make_folder(tmp_path, SCRIPT)
    paths = [
        f"--model_path={folder / 'script.pte'}",
        f"--tokenizer_path={folder / 'tokenizer.json'}",
    ]
    client = upstream.spawn_worker([*PLAYED, *paths, "--max_sessions=2", "--bos_id=256"])
    yield client
    client.close()


def generate(
    client: WorkerClient,
    prompt: str | list[dict[str, Any]],
    **config: Any,  # noqa: ANN401
) -> tuple[str, WorkerStats]:
    """One turn: its text, and what it cost."""
    texts: list[str] = []
    stats: list[WorkerStats] = []
    if isinstance(prompt, list):
        config["prompt_segments"] = prompt
    client.generate(prompt, SimpleNamespace(**config), texts.append, stats.append)
    return "".join(texts), stats[0]


def test_it_is_met_as_one_that_names_sessions(played: WorkerClient) -> None:
    """Without the pipe on which this client would cancel: our patch is heard on stdin."""
    assert (played.max_named_sessions, played.supports_cancel) == (1, False)


def test_a_conversation_goes_on_warm(played: WorkerClient) -> None:
    """By the ids that it was told of."""
    text, first = generate(played, "Hi", session_id="a")
    spliced = [{"text": "Hi"}, {"ids": first.generated_token_ids}, {"text": "<|eot|>More"}]
    _, second = generate(played, spliced, session_id="a")

    assert text == GREETING
    assert (first.session_reset_reason, first.finish_reason) == ("new", "stop")
    assert second.session_reset_reason == "exact_prefix"
    assert second.reused_prompt_tokens == 3 + first.num_generated_tokens


def test_a_stop_string_trims_and_leaves_the_ids_out(played: WorkerClient) -> None:
    """The next turn is cold for it."""
    text, stats = generate(played, "Hi", stop=[" 你"], session_id="a")

    assert (text, stats.generated_token_ids) == ("Hello", [])
    assert generate(played, "Hi", session_id="a")[1].session_reset_reason == "dirty"


def test_a_place_is_given_once(played: WorkerClient) -> None:
    """The refusal carries the code that becomes an HTTP status."""
    played.open_session("a")

    with pytest.raises(upstream.WorkerError) as refused:
        played.open_session("b")

    assert refused.value.code == "capacity_exhausted"
    played.reset_session("a")
    played.close_session("a")
    played.open_session("b")
