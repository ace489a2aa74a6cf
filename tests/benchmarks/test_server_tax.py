"""What does the server take of the worker's speed?

The same prompt goes to two workers with the same model in turns: to one as a JSONL line over its
pipes, to the other through the whole server and a plain socket.  Both ends are read as bytes, with
as little work as possible.  Compared are, within each pair, so that a noisy machine is noisy for
both (text is what a caller sees, so a Harmony header is passed over at both ends):

    rate ratio   tokens a second from first text to the end, HTTP over JSONL; the tax is 1 - ratio
    TTFT added   time to first text, HTTP less JSONL: parsing, rendering, tokenising, framing

The embedded model answers where it is present, a script at 1 ms a token otherwise.
Nothing is asserted of the times; the medians and their spread are in `extra_info`.
"""

from __future__ import annotations

import json
import socket
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from datetime import date
from importlib.util import find_spec
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from playground.prompt import PromptBuilder
from playground.schemas import read_chat_request
from playground.served import load_served_model, worker_argv
from playground.settings import MODEL_DIR, Settings
from playground.worker.messages import GenerateRequest, IdsSegment, dump_request

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_benchmark.fixture import BenchmarkFixture

PAIRS = 30
TOKENS = 300
QUESTION = "Repeat these words: " + " ".join(["apple", "pear", "plum"] * 20) + "."
CHAT = {
    "messages": [{"role": "user", "content": QUESTION}],
    "stream": True,
    "max_completion_tokens": TOKENS,
    "chat_template_kwargs": {"return_reasoning": True},
}
SCRIPT = {"step_ms": 1.0, "replies": [{"text": " to=user<|message|>" + "one two " * 60}]}


@dataclass(frozen=True, slots=True)
class Timing:
    """One turn as its reader saw it, in seconds since it was sent."""

    first_s: float
    end_s: float
    tokens: int

    @property
    def rate(self) -> float:
        """Tokens a second from the first text to the end."""
        return self.tokens / (self.end_s - self.first_s)


class OverPipes:
    """A worker, asked in its own words."""

    def __init__(self, argv: list[str], request: GenerateRequest) -> None:
        self._request = dump_request(request)
        self._process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._stdin, self._stdout = self._process.stdin, self._process.stdout
        assert b'"ready"' in self._stdout.readline()

    def turn(self) -> Timing:
        """One generation."""
        sent = time.perf_counter()
        self._stdin.write(self._request)
        self._stdin.flush()
        first_s, in_header = 0.0, True
        for line in self._stdout:
            if in_header:
                in_header = b"<|message|>" not in line
            elif not first_s:
                first_s = time.perf_counter() - sent
            if line.startswith(b'{"done"'):
                end_s = time.perf_counter() - sent
                return Timing(first_s, end_s, json.loads(line)["completion_tokens"])
        raise AssertionError("the worker ended")

    def close(self) -> None:
        """End it."""
        self._stdin.close()
        self._process.wait(10)
        self._stdout.close()


class OverHTTP:
    """The whole server, asked over one kept connection."""

    def __init__(self, argv: list[str]) -> None:
        self._process = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        assert self._process.stdout is not None
        self._stdout = self._process.stdout
        url = urlsplit(self._stdout.readline().split()[-1].decode())
        self._socket = socket.create_connection((url.hostname, url.port))
        body = json.dumps(CHAT).encode()
        self._request = (
            b"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\n"
            b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body)
        ) + body

    def turn(self) -> Timing:
        """One chat completion, streamed."""
        sent = time.perf_counter()
        self._socket.sendall(self._request)
        first_s = finish_s = 0.0
        said = b""
        while not said.endswith(b"0\r\n\r\n"):
            said += self._socket.recv(1 << 16)
            now = time.perf_counter() - sent
            if not first_s and (b'"content"' in said or b'"reasoning_content"' in said):
                first_s = now
            if not finish_s and b'"finish_reason":"' in said[-4096:]:
                finish_s = now
        metrics = json.loads(said[said.index(b'{"muse_metrics"') :].split(b"\n")[0])["muse_metrics"]
        return Timing(first_s, finish_s, metrics["completion_tokens"])

    def close(self) -> None:
        """End it."""
        self._socket.close()
        self._process.terminate()
        self._process.wait(20)
        self._stdout.close()


def model_settings(folder: Path) -> Settings:
    """The embedded model if it and its runtime are here, else a script."""
    if (MODEL_DIR / "manifest.json").is_file() and find_spec("executorch"):
        return Settings()
    script = folder / "script.json"
    script.write_text(json.dumps(SCRIPT), encoding="utf-8")
    return Settings(script=script)


def prompt_of(settings: Settings) -> GenerateRequest:
    """What the server sends its worker for `CHAT`."""
    model = load_served_model(settings)
    prompt = PromptBuilder(model.template, model.tokenizer, model.context_length).build(
        read_chat_request(json.dumps(CHAT).encode()).messages,
        settings={
            "current_date": date.today().isoformat(),
            "reasoning_strength": model.reasoning_strength,
        },
        cap=TOKENS,
    )
    return GenerateRequest((IdsSegment(prompt.ids),), max_new_tokens=prompt.max_new_tokens)


def test_the_server_takes_little_of_the_workers_speed(
    benchmark: BenchmarkFixture, tmp_path: Path
) -> None:
    """Pairs of the same turn, to the worker and through the server, in either order by turns."""
    settings = model_settings(tmp_path)
    flags = ["--script", str(settings.script)] if settings.script else []
    pipes = OverPipes(worker_argv(load_served_model(settings), settings), prompt_of(settings))
    http = OverHTTP([sys.executable, "-m", "playground", "--port", "0", "--no-ui", *flags])
    pairs: list[tuple[Timing, Timing]] = []

    def pair() -> None:
        if len(pairs) % 2:
            direct = pipes.turn()
            pairs.append((direct, http.turn()))
        else:
            through = http.turn()
            pairs.append((pipes.turn(), through))

    try:
        benchmark.pedantic(pair, rounds=PAIRS, warmup_rounds=2)  # type: ignore[no-untyped-call]
    finally:
        pipes.close()
        http.close()
    measured = pairs[2:]
    ratios = [through.rate / direct.rate for direct, through in measured]
    added_ms = [(through.first_s - direct.first_s) * 1000 for direct, through in measured]

    assert {direct.tokens for direct, _ in pairs} == {through.tokens for _, through in pairs}
    benchmark.extra_info.update(
        model=settings.script.name if settings.script else MODEL_DIR.name,
        tokens=measured[0][0].tokens,
        direct_tokens_per_second=round(statistics.median(d.rate for d, _ in measured), 1),
        rate_ratio_median=round(statistics.median(ratios), 4),
        rate_ratio_quartiles=[round(q, 4) for q in statistics.quantiles(ratios, n=4)],
        ttft_added_ms_median=round(statistics.median(added_ms), 3),
        ttft_added_ms_quartiles=[round(q, 3) for q in statistics.quantiles(added_ms, n=4)],
    )
    print(json.dumps(benchmark.extra_info))
