"""Does `stop()` of the patched client end the generation that it names, and tell the truth?

Run by prove.py, with the patched tree before anything else on the path.
"""

import asyncio
import io
import json
import os
import threading
from dataclasses import dataclass, field
from types import SimpleNamespace

from executorch.examples.llm_server.python.session_runtime import (
    GenerationOptions,
    GenStats,
    PromptInput,
    SessionRuntime,
)
from executorch.examples.llm_server.python.worker_client import WorkerClient, spawn_worker

OPTIONS = GenerationOptions(max_new_tokens=8)
PROMPT = PromptInput(text="Hello")
BOUND_S = 60


class Worker:
    """The other end of two pipes: hears lines, and says what a test has it say."""

    def __init__(self, *, cancel_op=True):
        heard, stdin = os.pipe()
        stdout, said = os.pipe()
        self._heard = os.fdopen(heard)
        self._say = os.fdopen(said, "w", buffering=1)
        self.code = None
        self.process = SimpleNamespace(
            stdin=os.fdopen(stdin, "w", buffering=1),
            stdout=os.fdopen(stdout),
            poll=lambda: self.code,
            terminate=lambda: None,
            wait=lambda timeout: 0,
        )
        self.say(ready=True, max_named_sessions=1, cancel_op=cancel_op)
        self.client = spawn_worker(["worker"], popen=lambda *_, **__: self.process)

    def hear(self):
        return json.loads(self._heard.readline())

    def say(self, **message):
        self._say.write(json.dumps(message) + "\n")

    def end(self, **more):
        self.say(done=True, finish_reason="stop", **more)

    def close(self):
        for stream in (self._heard, self._say, self.process.stdin, self.process.stdout):
            stream.close()


@dataclass
class Config:
    stop: list = field(default_factory=list)
    request_id: int = None


class Generation(threading.Thread):
    """One `generate()`, on a thread as the runtime's is."""

    def __init__(self, client, config=None):
        super().__init__()
        self.client, self.config = client, config or Config()
        self.stats = self.error = None
        self.begun = threading.Event()
        self.start()

    def run(self):
        try:
            self.client.generate(
                "Hello",
                self.config,
                token_callback=lambda _: self.begun.set(),
                stats_callback=lambda stats: setattr(self, "stats", stats),
            )
        except Exception as error:
            self.error = error

    def finish(self):
        self.join(BOUND_S)
        assert not self.is_alive()
        assert self.error is None
        return self.stats


def running(worker, config=None):
    """A generation that has said its first text."""
    generation = Generation(worker.client, config)
    request = worker.hear()
    worker.say(token="1")
    assert generation.begun.wait(BOUND_S)
    return generation, request


def test_a_running_generation_is_named_to_the_worker():
    worker = Worker()
    generation, request = running(worker)

    assert worker.client.stop() is True
    assert worker.hear() == {"op": "cancel", "request_id": request["cancel_request_id"]}
    worker.end(cancelled=True)
    assert generation.finish().cancelled is True
    worker.close()


def test_stopping_twice_tells_the_worker_once():
    worker = Worker()
    generation, request = running(worker)
    number = request["cancel_request_id"]

    worker.client.stop(number)
    worker.client.stop(number)
    worker.end(cancelled=True)
    generation.finish()
    later = Generation(worker.client)
    heard = [worker.hear(), worker.hear()]
    worker.end()
    later.finish()

    assert heard[0] == {"op": "cancel", "request_id": number}
    assert heard[1]["prompt"] == "Hello"
    worker.close()


def test_nothing_is_stopped_when_nothing_runs():
    worker = Worker()
    assert worker.client.stop() is False
    generation, request = running(worker)
    worker.end()
    generation.finish()

    assert worker.client.stop() is False
    assert worker.client.stop(request["cancel_request_id"]) is False
    assert worker.client.stop(99) is False
    worker.close()


def test_another_generation_is_left_alone():
    worker = Worker()
    generation, request = running(worker)

    assert worker.client.stop(request["cancel_request_id"] + 1) is False
    worker.end()
    assert generation.finish().cancelled is False
    worker.close()


def test_a_reserved_generation_can_be_stopped_before_it_is_sent():
    worker = Worker()
    number = worker.client.reserve_request()

    assert worker.client.stop(number) is True
    generation = Generation(worker.client, Config(request_id=number))
    stats = generation.finish()  # without a word to the worker, which never answers
    assert (stats.cancelled, stats.num_generated_tokens) == (True, 0)
    worker.close()


def test_a_generation_that_waits_for_its_turn_is_never_sent():
    worker = Worker()
    first, _ = running(worker)
    number = worker.client.reserve_request()
    second = Generation(worker.client, Config(request_id=number))

    assert worker.client.stop(number) is True
    worker.end()
    assert first.finish().cancelled is False
    assert second.finish().cancelled is True
    worker.close()


def test_a_released_reservation_names_nothing():
    worker = Worker()
    number = worker.client.reserve_request()
    worker.client.release_request(number)

    assert worker.client.stop(number) is False
    worker.close()


def test_stopping_does_not_wait_for_who_reads():
    worker = Worker()
    generation, _ = running(worker)  # its thread is inside readline, with the lock

    stopper = threading.Thread(target=worker.client.stop)
    stopper.start()
    stopper.join(BOUND_S)
    assert not stopper.is_alive()
    worker.end(cancelled=True)
    generation.finish()
    worker.close()


def test_lines_of_two_threads_are_not_mixed():
    worker = Worker()
    numbers = []

    def generations():
        for _ in range(50):
            worker.client.generate("x" * 3000, Config())

    def stops():
        while thread.is_alive():
            worker.client.stop()

    thread = threading.Thread(target=generations)
    thread.start()
    stopper = threading.Thread(target=stops)
    stopper.start()
    while len(numbers) < 50:
        message = worker.hear()  # a mixed line is no JSON
        if "op" not in message:
            numbers.append(message["cancel_request_id"])
            worker.end(cancelled=True)
    thread.join(BOUND_S)
    stopper.join(BOUND_S)

    assert numbers == sorted(set(numbers))
    worker.close()


def test_a_worker_without_the_op_is_spoken_to_as_before():
    worker = Worker(cancel_op=False)
    generation, request = running(worker)

    assert worker.client.stop() is False
    assert "cancel_request_id" not in request
    worker.end()
    assert generation.finish().cancelled is False
    worker.close()


def test_a_dead_worker_cannot_be_told():
    worker = Worker()
    generation, _ = running(worker)
    worker.code = 1

    assert worker.client.stop() is False
    worker.end()
    generation.finish()
    worker.close()


def test_the_client_of_a_test_needs_no_worker():
    process = SimpleNamespace(stdin=io.StringIO(), stdout=io.StringIO(), poll=lambda: None)

    assert WorkerClient(process).stop() is False


# -- the runtime


def test_the_runtime_names_a_request_as_soon_as_it_is_asked_for():
    worker = Worker()

    async def scenario():
        runtime = SessionRuntime(worker.client)
        stats = GenStats()
        stream = runtime.generate_stream("a", PROMPT, OPTIONS, stats)
        first = asyncio.ensure_future(anext(stream))
        request = await asyncio.to_thread(worker.hear)
        worker.say(token="1")
        await first
        stopped = runtime.stop(stats.request_id)
        heard = await asyncio.to_thread(worker.hear)
        worker.end(cancelled=True)
        rest = [text async for text in stream]
        return request, stats, stopped, heard, rest, runtime.stop(stats.request_id)

    request, stats, stopped, heard, rest, after = asyncio.run(scenario())
    assert stats.request_id == request["cancel_request_id"]
    assert (stopped, after, rest, stats.cancelled) == (True, False, [], True)
    assert heard == {"op": "cancel", "request_id": stats.request_id}
    worker.close()


def test_a_queued_request_of_the_runtime_stops_itself_alone():
    worker = Worker()

    async def scenario():
        runtime = SessionRuntime(worker.client)
        one, two = GenStats(), GenStats()

        async def whole(stats):
            return [text async for text in runtime.generate_stream("a", PROMPT, OPTIONS, stats)]

        first = asyncio.ensure_future(whole(one))
        await asyncio.to_thread(worker.hear)
        second = asyncio.ensure_future(whole(two))
        await asyncio.sleep(0)  # it begins: it is asked for, and waits
        assert two.request_id is not None
        stopped = runtime.stop(two.request_id)
        worker.say(token="1")
        worker.end()
        return await first, await second, stopped, one, two

    first, second, stopped, one, two = asyncio.run(scenario())
    assert (first, one.cancelled) == (["1"], False)
    assert (second, two.cancelled, stopped) == ([], True, True)
    worker.close()


def test_a_task_that_is_cancelled_stops_its_own_request():
    worker = Worker()

    async def scenario():
        runtime = SessionRuntime(worker.client)

        async def whole():
            return [text async for text in runtime.generate_stream("a", PROMPT, OPTIONS)]

        task = asyncio.ensure_future(whole())
        request = await asyncio.to_thread(worker.hear)
        task.cancel()
        heard = await asyncio.to_thread(worker.hear)
        worker.end(cancelled=True)
        try:
            await task
        except asyncio.CancelledError:
            return request, heard
        raise AssertionError

    request, heard = asyncio.run(scenario())
    assert heard == {"op": "cancel", "request_id": request["cancel_request_id"]}
    worker.close()


def test_a_stream_that_nobody_reads_on_stops_its_request():
    worker = Worker()

    async def scenario():
        runtime = SessionRuntime(worker.client)
        stream = runtime.generate_stream("a", PROMPT, OPTIONS)
        first = asyncio.ensure_future(anext(stream))
        await asyncio.to_thread(worker.hear)
        worker.say(token="1")
        await first
        closing = asyncio.ensure_future(stream.aclose())
        heard = await asyncio.to_thread(worker.hear)
        worker.end(cancelled=True)
        await closing
        return heard

    assert asyncio.run(scenario())["op"] == "cancel"
    worker.close()


def test_a_worker_that_names_nothing_is_stopped_as_before():
    calls = []
    worker = SimpleNamespace(
        generate=lambda prompt, config, token, stats: token("1"),
        stop=lambda: calls.append("stop"),
    )

    async def scenario():
        runtime = SessionRuntime(worker)
        stats = GenStats()
        texts = [text async for text in runtime.generate_stream(None, PROMPT, OPTIONS, stats)]
        return texts, stats.request_id, runtime.stop()

    assert asyncio.run(scenario()) == (["1"], None, False)
    assert calls == ["stop"]
