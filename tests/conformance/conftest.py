"""ExecuTorch's own control plane, from its wheel and unchanged, with our worker under it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from executorch.examples.llm_server.python.worker_client import WorkerClient

MODEL = Path(__file__).parents[2] / "playground" / "models" / "muse-nano"
ENDLESS = "x" * 100_000
TOOL_CALL = '<tool_call>{"name": "get_weather", "arguments": {"city": "Paris"}}</tool_call>'
SCRIPT = {
    "context_length": 200_000,
    "step_ms": 0,
    "max_image_cells": 64,
    "replies": [
        {"match": "endless", "text": ENDLESS, "step_ms": 1},
        {"match": "Paris", "text": TOOL_CALL},
        {"text": "Hello 你好 🌍<|eot|>"},
    ],
}


@pytest.fixture(scope="session")
def scripted_argv(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Return the command of a worker on a script: a greeting, a tool call, an endless answer."""
    path = tmp_path_factory.mktemp("script") / "script.json"
    path.write_text(json.dumps(SCRIPT))
    return [sys.executable, "-m", "playground.worker", "--script", str(path)]


@pytest.fixture(scope="session")
def embedded_argv() -> list[str]:
    """Return the command of a worker on the embedded model, as upstream's server would start it."""
    program, tokenizer = MODEL / "muse-nano.pte", MODEL / "tokenizer.json"
    if not program.exists() or not tokenizer.exists():
        pytest.skip(f"the embedded model is not there: {program}")
    paths = ["--model_path", str(program), "--tokenizer_path", str(tokenizer)]
    return [sys.executable, "-m", "playground.worker", *paths]


@pytest.fixture
def scripted(scripted_argv: list[str]) -> Iterator[WorkerClient]:
    """Start a scripted worker under the wheel's client."""
    client_module = pytest.importorskip("executorch.examples.llm_server.python.worker_client")
    client = client_module.spawn_worker(scripted_argv)
    yield client
    client.close()


@pytest.fixture
def embedded(embedded_argv: list[str]) -> Iterator[WorkerClient]:
    """Start a worker on the embedded model under the wheel's client."""
    client_module = pytest.importorskip("executorch.examples.llm_server.python.worker_client")
    client = client_module.spawn_worker(embedded_argv)
    yield client
    client.close()
