"""Does the scripted engine say what its script says, when it says so?"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from playground.worker.engine import Limits
from playground.worker.errors import EngineError, ScriptError
from playground.worker.messages import Sampling
from playground.worker.sampling import sampler_for
from playground.worker.scripted import (
    Pace,
    Script,
    ScriptedEngine,
    ScriptedReply,
    load_script,
)

if TYPE_CHECKING:
    from pathlib import Path

    from playground.worker.engine import Session

GREEDY = sampler_for(Sampling())
EOT = 259


def rounds(session: Session, count: int) -> list[tuple[int, ...]]:
    """Decode so many rounds."""
    return [session.decode(GREEDY) for _ in range(count)]


def an_engine(script: Script) -> tuple[ScriptedEngine, list[float]]:
    """Make an engine on a clock that only waiting moves, and the list of its waits in ms."""
    waits: list[float] = []
    now = [0.0]

    def sleep(duration_s: float) -> None:
        waits.append(round(duration_s * 1e3, 6))
        now[0] += duration_s

    return ScriptedEngine(script, pace=Pace(lambda: now[0], sleep)), waits


def test_a_script_file_is_read_whole(tmp_path: Path) -> None:
    """Every key, and the defaults of those left out of a reply."""
    path = tmp_path / "script.json"
    path.write_text(
        json.dumps(
            {
                "context_length": 100,
                "max_prefill_chunk": 8,
                "load_ms": 3,
                "prefill_ms_per_token": 0.5,
                "step_ms": 1.5,
                "tokens_per_round": 2,
                "draft_tokens": 3,
                "max_image_cells": 16,
                "encode_ms": 4,
                "replies": [{"match": "Hi", "text": "Hello", "step_ms": 9}, {"text": "What?"}],
                "die_after_tokens": 7,
                "reset_failures": 1,
            },
            indent=1,
        )
    )

    assert load_script(path) == Script(
        replies=(ScriptedReply("Hello", "Hi", 9.0), ScriptedReply("What?")),
        context_length=100,
        max_prefill_chunk=8,
        load_ms=3.0,
        prefill_ms_per_token=0.5,
        step_ms=1.5,
        tokens_per_round=2,
        draft_tokens=3,
        max_image_cells=16,
        encode_ms=4.0,
        die_after_tokens=7,
        reset_failures=1,
    )


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("{", "not JSON"),
        ("{}", "'replies' is missing"),
        ('{"replies":[{}]}', "'text' is missing"),
        ('{"replies":[{"text":"a","say":"b"}]}', "unknown key 'say'"),
        ('{"replies":[],"stepms":1}', "unknown key 'stepms'"),
        ('{"replies":[],"step_ms":-1}', "'step_ms' is -1.0; a delay cannot be negative"),
        ('{"replies":[],"encode_ms":-1}', "'encode_ms' is -1.0; a delay cannot be negative"),
        ('{"replies":[],"max_image_cells":0}', "'max_image_cells' is 0"),
        ('{"replies":[],"tokens_per_round":0}', "'tokens_per_round' is 0"),
    ],
)
def test_a_wrong_script_names_file_and_key(tmp_path: Path, content: str, reason: str) -> None:
    """The message says which file and what in it."""
    path = tmp_path / "script.json"
    path.write_text(content)

    with pytest.raises(ScriptError) as caught:
        load_script(path)

    assert str(caught.value).startswith(f"{path}: ")
    assert reason in str(caught.value)


def test_an_absent_script_is_told_by_name(tmp_path: Path) -> None:
    """The path and the system's reason."""
    with pytest.raises(ScriptError, match=r"nowhere\.json: No such file"):
        load_script(tmp_path / "nowhere.json")


def test_the_first_reply_that_matches_is_given() -> None:
    """A reply without a match is given to whatever is left."""
    replies = (ScriptedReply("1", "one"), ScriptedReply("2", "two"), ScriptedReply("?"))
    engine, _ = an_engine(Script(replies=replies))

    answers = []
    for prompt in ("two", "one two", "three"):
        session = engine.open()
        session.prefill(engine.tokenizer.encode_prompt(prompt))
        answers.append(bytes(session.decode(GREEDY)))

    assert answers == [b"2", b"1", b"?"]


def test_a_match_may_name_control_tokens() -> None:
    """The prompt is looked at as rendered text."""
    engine, _ = an_engine(Script(replies=(ScriptedReply("y", "<|start|>user"),)))
    session = engine.open()

    session.prefill(engine.tokenizer.encode_prompt("<|start|>user"))

    assert session.decode(GREEDY) == (ord("y"),)


def test_a_prompt_that_nothing_matches_is_an_engine_error() -> None:
    """The script has a hole, and says so."""
    engine, _ = an_engine(Script(replies=(ScriptedReply("1", "one"),)))
    session = engine.open()
    session.prefill([65])

    with pytest.raises(EngineError, match="no reply of the script matches"):
        session.decode(GREEDY)


def test_a_reply_ends_with_the_end_of_turn() -> None:
    """Which is added where the text has none."""
    for text in ("ab", "ab<|eot|>"):
        engine, _ = an_engine(Script(replies=(ScriptedReply(text),)))
        session = engine.open()
        session.prefill([65])

        assert rounds(session, 3) == [(97,), (98,), (EOT,)]


def test_delays_are_the_scripts() -> None:
    """Loading, each prefill by its tokens, each round by the reply's own step if it has one."""
    replies = (ScriptedReply("slow", "S", step_ms=7.0), ScriptedReply("fast"))
    script = Script(replies=replies, load_ms=50.0, prefill_ms_per_token=0.5, step_ms=2.0)
    engine, waits = an_engine(script)

    for prompt in ("SSSS", "ff"):
        session = engine.open()
        session.prefill(engine.tokenizer.encode(prompt))
        rounds(session, 2)

    assert waits == [50.0, 2.0, 7.0, 7.0, 1.0, 2.0, 2.0]


def test_a_late_wake_up_does_not_add_up() -> None:
    """Delays are on a schedule, so a sleep that takes too long is followed by a shorter one."""
    now, asked = [0.0], []

    def oversleep(duration_s: float) -> None:
        asked.append(round(duration_s * 1e3, 6))
        now[0] += duration_s + 0.001

    pace = Pace(lambda: now[0], oversleep)
    pace.start()

    for _ in range(3):
        pace.wait_ms(5.0)

    assert asked == [5.0, 4.0, 4.0]


def test_who_is_late_by_more_than_a_delay_starts_anew() -> None:
    """Missed time is not caught up by rushing."""
    now, asked = [0.0], []
    pace = Pace(lambda: now[0], lambda duration_s: asked.append(round(duration_s * 1e3, 6)))
    pace.start()

    now[0] = 0.020
    pace.wait_ms(5.0)
    pace.wait_ms(5.0)

    assert asked == [0.0, 5.0]


def test_rows_exist_for_all_but_the_pending_token() -> None:
    """The contract of the engine: what was chosen last is forwarded by the next round."""
    engine, _ = an_engine(Script(replies=(ScriptedReply("abcdef"),), tokens_per_round=3))
    session = engine.open()
    session.prefill([65, 66])

    chosen, positions = [], []
    for _ in range(3):
        chosen.append(session.decode(GREEDY))
        positions.append(session.position)

    assert chosen == [(97, 98, 99), (100, 101, 102), (EOT,)]
    assert positions == [4, 7, 8]


def test_a_round_never_outgrows_the_context() -> None:
    """Near the end rounds get shorter, and then there are none."""
    engine, _ = an_engine(
        Script(replies=(ScriptedReply("abcdef"),), tokens_per_round=4, context_length=5)
    )
    session = engine.open()
    session.prefill([65, 66, 67])

    assert session.decode(GREEDY) == (97, 98, 99)
    with pytest.raises(EngineError):
        session.decode(GREEDY)


def test_a_script_may_draft_and_counts_what_it_plays() -> None:
    """The first token by itself, then two of three proposals accepted and one more, a round."""
    session = drafting("abcdefgh")
    says = [session.decode(GREEDY, Limits(eos_ids=frozenset({EOT}))) for _ in range(4)]

    assert says == [tuple(b"a"), tuple(b"bcd"), tuple(b"efg"), (ord("h"), EOT)]
    counts = session.statistics()
    assert counts is not None
    assert (counts.dflash, counts.speculative_cycles, counts.accepted) == ("on", 3, 5)
    assert counts.draft_attempts_by_row == (3, 3, 3)
    assert counts.draft_accepts_by_row == (3, 2, 0)


def test_a_scripted_draft_stops_where_the_turn_does() -> None:
    """At an end of turn that was accepted, and at the last token that is wanted."""
    ended = drafting("ab<|eot|>cdef")
    ended.decode(GREEDY)
    last = ended.decode(GREEDY, Limits(eos_ids=frozenset({EOT})))
    cut = drafting("abcdef")
    cut.decode(GREEDY)
    two = cut.decode(GREEDY, Limits(most=2))
    one = cut.decode(GREEDY, Limits(most=1))

    assert (last, two, one) == ((ord("b"), EOT), tuple(b"bc"), tuple(b"d"))
    counts = [session.statistics() for session in (ended, cut)]
    assert [(c.accepted, c.proposed, c.target_only_cycles) for c in counts if c] == [
        (2, 3, 0),
        (1, 1, 1),
    ]


def test_a_scripted_turn_that_does_not_draft_has_one_token_a_round() -> None:
    """So that both arms can be played in one process."""
    session = drafting("abc")
    says = [session.decode(GREEDY, Limits(draft=False)) for _ in range(3)]

    counts = session.statistics()
    assert says == [tuple(b"a"), tuple(b"b"), tuple(b"c")]
    assert counts is not None
    assert (counts.dflash, counts.target_only_cycles) == ("off", 2)


def drafting(text: str) -> Session:
    """A session that says a text with a draft of three, two of them right, after a prompt."""
    script = Script(replies=(ScriptedReply(text),), tokens_per_round=3, draft_tokens=3)
    session = an_engine(script)[0].open()
    session.prefill([1])
    return session


def test_a_prefill_over_the_chunk_is_refused() -> None:
    """The loop must cut the prompt; the script would not notice otherwise."""
    engine, _ = an_engine(Script(replies=(), max_prefill_chunk=4))

    with pytest.raises(EngineError, match="5 tokens, of 4"):
        engine.open().prefill([1] * 5)


def test_so_many_resets_fail_and_change_nothing() -> None:
    """An empty cache is emptied at once, and a session is given back whatever is in it."""
    script = Script(replies=(ScriptedReply("ab"),), reset_failures=1)
    session = ScriptedEngine(script, pace=Pace(lambda: 0.0, lambda _: None)).open()
    session.rewind(0)
    session.prefill([65, 66])

    with pytest.raises(EngineError, match="cannot be emptied"):
        session.rewind(0)
    assert session.position == 2
    session.rewind(1)
    session.rewind(0)
    assert session.position == 0


def test_death_comes_after_so_many_tokens() -> None:
    """Of the whole life, not of one turn."""

    class Died(BaseException):
        pass

    def die() -> None:
        raise Died

    script = Script(replies=(ScriptedReply("ab"),), die_after_tokens=4)
    engine = ScriptedEngine(script, pace=Pace(lambda: 0.0, lambda _: None), die=die)  # type: ignore[arg-type]
    session = engine.open()
    session.prefill([65])
    rounds(session, 3)
    session.rewind(0)
    session.prefill([65])

    assert rounds(session, 1) == [(97,)]
    with pytest.raises(Died):
        session.decode(GREEDY)
