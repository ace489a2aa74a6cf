"""Does what the setup has made answer, by the command that the setup names?"""

from __future__ import annotations

import json
import shlex
import signal
import urllib.request
from typing import TYPE_CHECKING, Any

from tests.bootstrap.whole.running import LONGEST_S, Started
from tests.bootstrap.whole.world import ANSWER

if TYPE_CHECKING:
    from tests.bootstrap.whole.world import World


def ask(url: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
    """A JSON answer."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=LONGEST_S) as answer:
        told: dict[str, Any] = json.load(answer)
        return told


def test_from_the_setup_to_a_reply(whole: World) -> None:
    """The server of its environment, the worker that was built, the model that was fetched."""
    _, _, start = whole.run().out.partition("start it: ")
    command = [*shlex.split(start), "--port", "0"]
    playground = Started(command, whole.home, whole.environ)
    try:
        assert playground.process.stdout is not None
        said = playground.process.stdout.readline()
        assert said.startswith("muse-playground ready "), playground.end()
        url = said.split()[-1]

        runtime = ask(f"{url}/api/runtime")
        turn = ask(
            f"{url}/v1/chat/completions",
            {
                "model": "muse-glimmer-30b",
                "messages": [{"role": "user", "content": "Are you there?"}],
            },
        )
        with urllib.request.urlopen(url, timeout=LONGEST_S) as page:
            shown = page.read().decode()
    finally:
        playground.tell(signal.SIGTERM)
        ended = playground.end()

    assert ended.code == 0, ended.err
    assert turn["choices"][0]["message"]["content"] == ANSWER
    assert shown == (whole.page).read_text()
    assert runtime["workerKind"] == "native"
