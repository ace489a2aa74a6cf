"""Does the wheel's `WorkerClient` drive our worker as if it were one of ExecuTorch's?"""

from __future__ import annotations

import base64
from dataclasses import dataclass
from io import BytesIO
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from PIL import Image

if TYPE_CHECKING:
    from collections.abc import Callable

    from executorch.examples.llm_server.python.worker_client import WorkerClient, WorkerStats

pytestmark = pytest.mark.embedded

upstream = pytest.importorskip("executorch.examples.llm_server.python.worker_client")

GREETING = "Hello 你好 🌍"
USER, ASSISTANT = "<|start|>user<|message|>", "<|eot|><|start|>assistant"


@dataclass(frozen=True)
class Turn:
    """What the client's callbacks were told."""

    texts: list[str]
    stats: WorkerStats

    @property
    def text(self) -> str:
        """All of it."""
        return "".join(self.texts)


def generate(
    client: WorkerClient,
    prompt: str | list[dict[str, Any]],
    *,
    at_first_text: Callable[[], object] = lambda: None,
    request_id: int | None = None,
    **config: Any,  # noqa: ANN401
) -> Turn:
    """Run one turn; what is not set is what upstream's client sends by itself."""
    texts: list[str] = []
    stats: list[WorkerStats] = []

    def on_token(text: str) -> None:
        if not texts:
            at_first_text()
        texts.append(text)

    if isinstance(prompt, list):
        config["prompt_segments"] = prompt
    settings = SimpleNamespace(**config)
    client.generate(prompt, settings, on_token, stats.append, request_id=request_id)
    return Turn(texts, stats[0])


def test_readiness_is_negotiated(scripted: WorkerClient) -> None:
    """One named session, and cancellation by the descriptor that the client passed."""
    assert (scripted.max_named_sessions, scripted.supports_cancel) == (1, True)
    assert scripted.healthy


def test_a_turn_and_its_statistics(scripted: WorkerClient) -> None:
    """Whole characters, and every count."""
    turn = generate(scripted, "Hi")

    assert turn.text == GREETING
    assert all("\ufffd" not in text for text in turn.texts)
    stats = turn.stats
    assert (stats.num_prompt_tokens, stats.num_generated_tokens) == (3, len(GREETING.encode()))
    assert (stats.finish_reason, stats.session_reset_reason) == ("stop", "new")
    assert (stats.reused_prompt_tokens, stats.prefilled_prompt_tokens) == (0, 3)
    assert bytes(stats.generated_token_ids).decode() == GREETING
    assert stats.cancelled is False
    assert min(stats.prefill_ms, stats.decode_ms, stats.prefill_tok_s, stats.decode_tok_s) > 0
    assert stats.total_ms >= stats.decode_ms


def test_generated_ids_resume_warm(scripted: WorkerClient) -> None:
    """Spliced back as an `ids` segment, they are an exact prefix."""
    first = generate(scripted, "Hi", session_id="a")

    segments = [{"text": "Hi"}, {"ids": first.stats.generated_token_ids}, {"text": "<|eot|>More"}]
    second = generate(scripted, segments, session_id="a")

    assert second.stats.session_reset_reason == "exact_prefix"
    assert second.stats.reused_prompt_tokens == 3 + first.stats.num_generated_tokens
    assert second.stats.prefilled_prompt_tokens == 5


def test_an_image_is_a_segment(scripted: WorkerClient) -> None:
    """As upstream's server sends one; a cell of 28 pixels is a prompt token."""
    buffer = BytesIO()
    Image.new("RGB", (84, 28), "red").save(buffer, "JPEG")
    data = base64.b64encode(buffer.getvalue()).decode()
    image = {"encoding": "base64", "mime_type": "image/jpeg", "data": data}

    turn = generate(scripted, [{"text": "Hi"}, {"image": image}, {"text": "?"}])

    assert turn.stats.num_prompt_tokens == len("Hi?") + 3 + 1
    assert turn.stats.vision_encoder_ms > 0


def test_a_stop_string_trims_and_leaves_the_ids_out(scripted: WorkerClient) -> None:
    """The client then knows that the turn cannot be resumed."""
    turn = generate(scripted, "Hi", stop=[" 你"], session_id="a")

    assert (turn.text, turn.stats.generated_token_ids) == ("Hello", [])
    assert generate(scripted, "Hi", session_id="a").stats.session_reset_reason == "dirty"


def test_a_token_limit_is_length(scripted: WorkerClient) -> None:
    """The finish reason that the server passes on."""
    turn = generate(scripted, "Hi", max_new_tokens=3)

    assert (turn.text, turn.stats.finish_reason) == ("Hel", "length")


def test_session_operations_and_capacity(scripted: WorkerClient) -> None:
    """Refusals carry the code that becomes an HTTP status; close frees the place."""
    scripted.open_session("a")
    scripted.open_session("a")

    with pytest.raises(upstream.WorkerError) as refused:
        scripted.open_session("b")

    assert refused.value.code == "capacity_exhausted"
    scripted.reset_session("a")
    scripted.close_session("a")
    scripted.open_session("b")
    assert scripted.healthy


@pytest.mark.parametrize(
    ("config", "reason"),
    [
        ({"temperature": 9.0}, "temperature"),
        ({"top_p": 0.0}, "top_p"),
        ({"top_k": -1}, "top_k"),
        ({"seed": -1}, "seed"),
        ({"prompt_segments": []}, "empty"),
        ({"prompt_segments": [{"image": {"encoding": "base64"}}]}, "image"),
        ({"prompt_segments": [{"ids": [9999]}]}, "vocabulary"),
    ],
)
def test_an_error_leaves_the_client_healthy(
    scripted: WorkerClient, config: dict[str, Any], reason: str
) -> None:
    """One reply, so the next turn finds the pipes in step."""
    with pytest.raises(upstream.WorkerError, match=reason) as caught:
        generate(scripted, "Hi", **config)

    assert caught.value.code is None
    assert generate(scripted, "Hi").text == GREETING


def test_stop_ends_a_running_turn(scripted: WorkerClient) -> None:
    """By one frame on the control descriptor; the session's next turn starts from nothing."""
    turn = generate(scripted, "endless", session_id="a", at_first_text=scripted.stop)

    assert turn.stats.cancelled
    assert turn.stats.generated_token_ids == []
    assert 0 < turn.stats.num_generated_tokens < 100_000
    after = generate(scripted, "Hi", session_id="a")
    assert (after.text, after.stats.cancelled) == (GREETING, False)
    assert after.stats.session_reset_reason == "dirty"


def test_stop_before_the_request_was_written(scripted: WorkerClient) -> None:
    """Between reservation and request the frame is the first to arrive, and is kept."""
    request_id = scripted.reserve_request()
    assert scripted.stop()

    turn = generate(scripted, "endless", request_id=request_id)

    assert turn.stats.cancelled


def test_stop_of_a_request_that_was_given_up_cancels_no_other(scripted: WorkerClient) -> None:
    """The id was never used, so its frame waits for nobody."""
    request_id = scripted.reserve_request()
    assert scripted.stop()
    assert scripted.release_request(request_id)

    assert generate(scripted, "Hi").stats.cancelled is False


def test_stop_when_nothing_runs_sends_nothing(scripted: WorkerClient) -> None:
    """And the next turn is untouched."""
    generate(scripted, "Hi")

    assert scripted.stop() is False
    assert generate(scripted, "Hi").stats.cancelled is False


def test_close_ends_the_process(scripted: WorkerClient) -> None:
    """Nothing is left to kill."""
    process = scripted._proc

    scripted.close()

    assert process.poll() is not None


# --- the embedded model ---


def test_the_embedded_model_speaks_harmony(embedded: WorkerClient) -> None:
    """The model names the recipient itself, and ends its turn."""
    turn = generate(embedded, f"{USER}Hello{ASSISTANT}", max_new_tokens=400)

    assert turn.text.startswith((" to=self<|message|>", " to=user<|message|>"))
    assert " to=user<|message|>" in turn.text
    assert turn.stats.finish_reason == "stop"


def test_the_embedded_model_resumes_warm(embedded: WorkerClient) -> None:
    """All that the first turn left is reused, and both prompts are the same."""
    rendered = f"{USER}Hello{ASSISTANT}"
    first = generate(embedded, rendered, session_id="a", max_new_tokens=200)
    ids = first.stats.generated_token_ids
    segments = [
        {"text": rendered},
        {"ids": ids},
        {"text": f"<|eot|>{USER}What is 2 + 3?{ASSISTANT}"},
    ]

    warm = generate(embedded, segments, session_id="a", max_new_tokens=200)
    cold = generate(embedded, segments, max_new_tokens=200)

    assert (warm.stats.session_reset_reason, cold.stats.session_reset_reason) == (
        "exact_prefix",
        "new",
    )
    assert warm.stats.reused_prompt_tokens == first.stats.num_prompt_tokens + len(ids)
    assert warm.stats.num_prompt_tokens == cold.stats.num_prompt_tokens
    assert warm.texts


def test_the_embedded_model_is_cancelled_by_the_descriptor(embedded: WorkerClient) -> None:
    """Hot sampling seldom ends by itself, and hardly before the frame is there."""
    turn = generate(
        embedded,
        f"{USER}Hello{ASSISTANT}",
        at_first_text=embedded.stop,
        temperature=2.0,
        seed=5,
        max_new_tokens=1500,
    )

    assert turn.stats.cancelled
    assert generate(embedded, f"{USER}Hello{ASSISTANT}", max_new_tokens=5).texts
