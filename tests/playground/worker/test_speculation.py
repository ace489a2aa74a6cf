"""Does a session that drafts say what the target alone would, and keep its state straight?

The program is `FakeProgram`: a target whose logits are a hash of the tokens in its cache up to a
row, so a row that was not rolled back, or is out of place, changes what is said. It checks all that
the draft is given against the cache, and its draft is right as often as it is told to be.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING
from zlib import crc32

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playground.worker.break_even import BreakEven, Costs
from playground.worker.contract import Contract, DraftContract
from playground.worker.engine import Limits
from playground.worker.errors import EngineError
from playground.worker.messages import Sampling
from playground.worker.sampling import sampler_for
from playground.worker.speculation import Drafting, DraftOptions, SpeculativeSession

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from playground.worker.engine import Sampler

    Rows = NDArray[np.float32]

VOCABULARY = 7
MASK = 6
CONTEXT = 64
CHUNK = 5
CONTRACT = DraftContract(block_length=4, mask_id=MASK, window=0, max_chunk=CHUNK, prefill_from=None)
DRAFTING = Drafting(CONTRACT, tokens=3)


@dataclass
class FakeProgram:
    """A target and a draft on one cache. `skill` is how often the draft is right."""

    seed: int = 1
    skill: float = 0.7
    context_length: int = CONTEXT
    cache: list[int] = field(default_factory=lambda: [-1] * CONTEXT)
    taken: int = 0
    calls: list[str] = field(default_factory=list)
    fail_at: int | None = None

    def forward(
        self, ids: Sequence[int], position: int, soft: Rows | None = None
    ) -> tuple[Rows, Rows | None]:
        """Logits of the last row."""
        logits, hidden = self._run("forward", ids, position)
        return logits[-1], hidden

    def verify(self, ids: Sequence[int], position: int) -> tuple[Rows, Rows]:
        """Logits of every row."""
        return self._run("verify", ids, position)

    def draft(self, block: Sequence[int], hidden: Rows, first: int) -> Rows:
        """Propose what the target will say, or something else."""
        self._call("draft")
        self._take(hidden, first)
        assert list(block[1:]) == [MASK] * 3
        assert self.taken + len(block) <= self.context_length
        known = [*self.cache[: self.taken], block[0]]
        logits = np.zeros((len(block), VOCABULARY), np.float32)
        for row in range(1, len(block)):
            said = logits_after(known, self.seed)
            right = hashed([*known, 99], self.seed) % 1000 < self.skill * 1000
            logits[row] = said if right else np.roll(said, 1)
            known.append(int(logits[row].argmax()))
        return logits

    def absorb(self, hidden: Rows, first: int) -> None:
        """Take in rows."""
        self._call("absorb")
        self._take(hidden, first)

    def rewind(self, position: int) -> None:
        """The draft goes back, too."""
        self.taken = min(self.taken, position)

    def close(self) -> None:
        """Nothing is held."""

    def _run(self, name: str, ids: Sequence[int], position: int) -> tuple[Rows, Rows]:
        assert 1 <= len(ids) <= CHUNK
        assert position + len(ids) <= self.context_length
        self._call(name)
        self.cache[position : position + len(ids)] = ids
        ends = range(position + 1, position + len(ids) + 1)
        return (
            np.stack([logits_after(self.cache[:end], self.seed) for end in ends]),
            np.stack([hidden_after(self.cache[:end]) for end in ends]),
        )

    def _take(self, hidden: Rows, first: int) -> None:
        assert 1 <= len(hidden) <= CHUNK
        assert first == self.taken
        for offset, row in enumerate(hidden):
            assert row.tolist() == hidden_after(self.cache[: first + offset + 1]).tolist()
        self.taken += len(hidden)

    def _call(self, name: str) -> None:
        self.calls.append(name)
        if len(self.calls) == self.fail_at:
            raise RuntimeError("the device is gone")


def hashed(tokens: Sequence[int], seed: int) -> int:
    """A number that the tokens decide."""
    return crc32(repr((seed, list(tokens))).encode())


def logits_after(tokens: Sequence[int], seed: int) -> Rows:
    """What the target makes of a run of tokens; never the mask."""
    random = np.random.default_rng(hashed(tokens, seed))
    logits = random.normal(0, 2, VOCABULARY).astype(np.float32)
    logits[MASK] = -20
    return logits


def hidden_after(tokens: Sequence[int]) -> Rows:
    """A hidden row: its position, and what it has seen."""
    return np.array([len(tokens) - 1, hashed(tokens, 0) % 9973], np.float32)


def session_on(
    program: FakeProgram,
    drafting: Drafting = DRAFTING,
    clock_s: Callable[[], float] = lambda: 0.0,
) -> SpeculativeSession:
    """A session with a rule of its own; time stands still if not told otherwise."""
    return SpeculativeSession(program, drafting, BreakEven(Costs()), clock_s=clock_s)


@dataclass(frozen=True)
class Spoken:
    """What came of a turn."""

    tokens: list[int]
    eos: int | None
    cycles: int


def speak(
    session: SpeculativeSession,
    ids: Sequence[int],
    sampler: Sampler,
    *,
    most: int,
    eos_ids: frozenset[int] = frozenset(),
    draft: bool = True,
    cycles: int | None = None,
) -> Spoken:
    """Run a turn as `turn` does: prefill, decode to an end, settle; or leave after `cycles`."""
    start = session.position
    for at in range(0, len(ids), CHUNK):
        session.prefill(ids[at : at + CHUNK])
    tokens: list[int] = []
    for count in itertools.count(1):
        returned = session.decode(sampler, Limits(most - len(tokens), eos_ids, draft))
        assert 1 <= len(returned) <= most - len(tokens)
        assert not set(returned[:-1]) & eos_ids
        tokens += returned
        assert session.position == start + len(ids) + len(tokens) - 1
        if tokens[-1] in eos_ids:
            return Spoken(tokens[:-1], tokens[-1], count)
        if len(tokens) == most:
            session.prefill(tokens[-1:])
            return Spoken(tokens, None, count)
        if count == cycles:
            return Spoken(tokens, None, count)
    raise AssertionError


def plainly(
    resident: Sequence[int],
    sampler: Sampler,
    *,
    most: int,
    eos_ids: frozenset[int] = frozenset(),
    seed: int = 1,
) -> list[int]:
    """What the target says, asked token by token, with nothing that could be out of place."""
    known = list(resident)
    while len(known) < len(resident) + most:
        token = sampler.choose(logits_after(known, seed))
        if token in eos_ids:
            break
        known.append(token)
    return known[len(resident) :]


prompts = st.lists(st.integers(0, 5), min_size=1, max_size=20)
eos_sets = st.frozensets(st.integers(0, 5), max_size=2)
skills = st.sampled_from([0.0, 0.3, 0.8, 1.0])
draftings = st.sampled_from([replace(DRAFTING, tokens=n) for n in (0, 1, 2, 3)])
samplings = st.sampled_from(
    [Sampling()]
    + [Sampling(temperature=t, top_k=k, top_p=p, seed=7) for t, k, p in [(1, 0, 1), (1.5, 3, 0.9)]]
)


@st.composite
def clocks(draw: st.DrawFn) -> Callable[[], float]:
    """A clock by which drafting pays now and then."""
    random = draw(st.randoms(use_true_random=False))
    now = 0.0

    def read() -> float:
        nonlocal now
        now += random.choice([0.1, 1.0, 5.0])
        return now

    return read


@dataclass(frozen=True)
class Case:
    """Everything that a turn depends on, and what it must not."""

    prompt: list[int]
    most: int
    eos_ids: frozenset[int]
    sampling: Sampling
    seed: int
    skill: float
    drafting: Drafting
    clock_s: Callable[[], float] = field(repr=False)

    def session(self) -> tuple[SpeculativeSession, FakeProgram]:
        """A session, and the program it is on."""
        program = FakeProgram(seed=self.seed, skill=self.skill)
        return session_on(program, self.drafting, self.clock_s), program

    def spoken(self, session: SpeculativeSession) -> Spoken:
        """What the session says."""
        sampler = sampler_for(self.sampling)
        return speak(session, self.prompt, sampler, most=self.most, eos_ids=self.eos_ids)


cases = st.builds(
    Case,
    prompt=prompts,
    most=st.integers(1, 30),
    eos_ids=eos_sets,
    sampling=samplings,
    seed=st.integers(0, 99),
    skill=skills,
    drafting=draftings,
    clock_s=clocks(),
)


@given(cases)
@settings(max_examples=300, deadline=None)
def test_drafting_changes_no_token(case: Case) -> None:
    """Whatever the target, the draft, the end and the sampling, and wherever it is given up."""
    session, program = case.session()

    spoken = case.spoken(session)

    sampler = sampler_for(case.sampling)
    expected = plainly(case.prompt, sampler, most=case.most, eos_ids=case.eos_ids, seed=case.seed)
    assert spoken.tokens == expected
    assert program.cache[: session.position] == [*case.prompt, *expected]


@given(cases)
@settings(max_examples=200, deadline=None)
def test_the_counts_add_up(case: Case) -> None:
    """First token, steps, rounds and accepted tokens are the tokens that were returned."""
    session, _ = case.session()

    spoken = case.spoken(session)

    counts = session.statistics()
    assert counts.cycles == counts.speculative_cycles + counts.target_only_cycles
    assert counts.cycles == spoken.cycles - 1
    made = 1 + counts.cycles + counts.accepted
    returned = len(spoken.tokens) + (spoken.eos is not None)
    assert made - returned in ({0, 1} if spoken.eos is not None else {0})
    rows = list(zip(counts.draft_attempts_by_row, counts.draft_accepts_by_row, strict=True))
    assert all(attempts >= accepts for attempts, accepts in rows)
    assert all(a >= b for a, b in itertools.pairwise(counts.draft_accepts_by_row))
    assert counts.draft_attempts_by_row[:1] in ((), (counts.speculative_cycles,))
    if counts.dflash == "off":
        assert (case.drafting.tokens, counts.speculative_cycles) == (0, 0)


@dataclass(frozen=True)
class TurnPlan:
    """One of several turns in a session."""

    ids: tuple[int, ...]
    most: int
    eos_ids: frozenset[int]
    draft: bool
    sampling: Sampling
    leave_after: int | None
    back: int


plans = st.builds(
    TurnPlan,
    ids=st.lists(st.integers(0, 5), min_size=1, max_size=8).map(tuple),
    most=st.integers(1, 9),
    eos_ids=eos_sets,
    draft=st.booleans(),
    sampling=samplings,
    leave_after=st.sampled_from([None, None, None, 1, 2]),
    back=st.integers(0, 5),
)


@given(st.lists(plans, max_size=6), skills, st.sampled_from([0, 8]), clocks())
@settings(max_examples=200, deadline=None)
def test_a_session_stays_straight_over_turns(
    turns: list[TurnPlan], skill: float, window: int, clock_s: Callable[[], float]
) -> None:
    """Warm turns, rewinds, turns that do not draft, and turns that were left and started anew."""
    program = FakeProgram(skill=skill)
    session = session_on(program, DRAFTING, clock_s)
    resident: list[int] = []
    for plan in turns:
        if len(resident) + len(plan.ids) + plan.most > CONTEXT:
            break
        ids = list(plan.ids)
        spoken = speak(
            session,
            ids,
            sampler_for(plan.sampling),
            most=plan.most,
            eos_ids=plan.eos_ids,
            draft=plan.draft,
            cycles=plan.leave_after,
        )
        expected = plainly(
            [*resident, *ids], sampler_for(plan.sampling), most=plan.most, eos_ids=plan.eos_ids
        )
        if plan.leave_after is not None:
            assert spoken.tokens == expected[: len(spoken.tokens)]
            session.rewind(0)
            resident = []
            continue
        assert spoken.tokens == expected
        resident += [*ids, *expected]
        back = min(plan.back, len(expected))
        session.rewind(len(resident) - back)
        del resident[len(resident) - back :]
        assert program.cache[: session.position] == resident


@pytest.mark.parametrize("length", [CONTEXT - 1, CONTEXT - 2, CONTEXT - 4, CONTEXT - 9])
def test_the_context_can_be_filled_to_its_end(length: int) -> None:
    """Where a block has no room the last tokens come one by one."""
    prompt = [index % 5 for index in range(length)]
    session = session_on(FakeProgram(skill=1.0))

    spoken = speak(session, prompt, sampler_for(Sampling()), most=CONTEXT - length)

    assert spoken.tokens == plainly(prompt, sampler_for(Sampling()), most=CONTEXT - length)
    assert session.position == CONTEXT


def test_a_right_draft_is_four_tokens_a_round() -> None:
    """Three accepted and a bonus; the first token comes from the prefill."""
    program = FakeProgram(skill=1.0)
    session = session_on(program)

    speak(session, [1, 2], sampler_for(Sampling()), most=13)

    counts = session.statistics()
    assert (counts.dflash, counts.speculative_cycles, counts.target_only_cycles) == ("on", 3, 0)
    assert counts.draft_attempts_by_row == counts.draft_accepts_by_row == (3, 3, 3)
    assert program.calls == ["forward", *["draft", "verify"] * 3, "forward"]


def test_no_more_is_proposed_than_is_wanted() -> None:
    """Of two wanted tokens one can be a proposal, and the last of all needs none."""
    session = session_on(FakeProgram(skill=1.0))

    speak(session, [1, 2], sampler_for(Sampling()), most=8)

    counts = session.statistics()
    assert (counts.speculative_cycles, counts.target_only_cycles) == (2, 0)
    assert counts.draft_attempts_by_row == (2, 2, 1)


def test_a_turn_that_does_not_draft_says_so_and_its_rows_wait() -> None:
    """The next one's draft takes them in, by chunks, before it proposes."""
    program = FakeProgram(skill=1.0)
    session = session_on(program)

    speak(session, [1, 2, 3], sampler_for(Sampling()), most=6, draft=False)
    off = session.statistics()
    program.calls.clear()
    speak(session, [4], sampler_for(Sampling()), most=5)

    assert (off.dflash, off.target_only_cycles, off.draft_attempts_by_row) == ("off", 5, ())
    assert program.calls == ["forward", "absorb", "draft", "verify", "forward"]
    assert session.statistics().dflash == "on"


def test_a_draft_that_loses_is_given_up_and_said_so() -> None:
    """A round that takes three steps and returns one token: eight, and four after a check."""
    program = FakeProgram(skill=0.0)
    times = {"draft": 2.0, "verify": 1.0, "forward": 1.0, "absorb": 0.0}
    session = session_on(program, clock_s=lambda: sum(times[name] for name in program.calls))
    # One step, so that its cost is known.
    speak(session, [1], sampler_for(Sampling()), most=2, draft=False)

    spoken = speak(session, [1, 2], sampler_for(Sampling()), most=40)

    counts = session.statistics()
    assert len(spoken.tokens) == 40
    assert (counts.dflash, counts.speculative_cycles) == ("fallback", 12)
    assert counts.target_only_cycles == 27
    assert counts.target_execute_ms == pytest.approx(39_000)
    assert counts.draft_execute_ms == pytest.approx(24_000)


@pytest.mark.parametrize("fail_at", [1, 2, 3, 4, 5])
def test_after_a_failure_only_a_new_start_can_follow(fail_at: int) -> None:
    """Whichever call it was; afterwards all is as new."""
    program = FakeProgram(fail_at=fail_at)
    session = session_on(program)
    with pytest.raises(RuntimeError, match="the device is gone"):
        speak(session, [1, 2, 3], sampler_for(Sampling()), most=20)

    for attempt in (
        lambda: session.prefill([1]),
        lambda: session.decode(sampler_for(Sampling())),
        lambda: session.rewind(1),
    ):
        with pytest.raises(EngineError, match=r"only rewind\(0\)|cannot rewind"):
            attempt()
    session.rewind(0)
    spoken = speak(session, [1, 2, 3], sampler_for(Sampling()), most=20)
    assert spoken.tokens == plainly([1, 2, 3], sampler_for(Sampling()), most=20)


def test_decoding_needs_a_prefill() -> None:
    """At the start and after a rewind."""
    session = session_on(FakeProgram())
    with pytest.raises(EngineError, match="needs a prefill first"):
        session.decode(sampler_for(Sampling()))
    session.prefill([1, 2])
    session.rewind(2)
    with pytest.raises(EngineError, match="needs a prefill first"):
        session.decode(sampler_for(Sampling()))


@given(prompts, st.integers(1, 20), eos_sets, skills, st.integers(1, 99))
@settings(max_examples=100, deadline=None)
def test_drawn_drafts_keep_to_the_limits_too(
    prompt: list[int], most: int, eos_ids: frozenset[int], skill: float, seed: int
) -> None:
    """Other tokens than without a draft, as they must be, but the state is as straight."""
    program = FakeProgram(skill=skill)
    session = session_on(program, replace(DRAFTING, argmax=False))
    sampling = Sampling(temperature=1.0, top_k=4, seed=seed)

    spoken = speak(session, prompt, sampler_for(sampling), most=most, eos_ids=eos_ids)

    assert program.cache[: session.position] == [*prompt, *spoken.tokens]
    assert spoken.eos is not None or len(spoken.tokens) == most


@given(cases)
@settings(max_examples=50, deadline=None)
def test_a_seed_repeats_itself_with_drawn_drafts_too(case: Case) -> None:
    """Whatever the clock says, so drafting is not given up for being slow."""
    drawn = replace(case, drafting=replace(DRAFTING, argmax=False))
    still = replace(drawn, clock_s=lambda: 0.0)

    assert drawn.spoken(drawn.session()[0]) == still.spoken(still.session()[0])


def test_greedy_turns_do_not_draw_drafts() -> None:
    """There is no distribution to draw from."""
    session = session_on(FakeProgram(), replace(DRAFTING, argmax=False))

    spoken = speak(session, [1, 2], sampler_for(Sampling()), most=20)

    assert spoken.tokens == plainly([1, 2], sampler_for(Sampling()), most=20)


SPECULATIVE = Contract(
    forward="target_forward_from_embeddings",
    prefill_from=None,
    context_length=CONTEXT,
    vocab_size=VOCABULARY,
    max_prefill_chunk=CHUNK,
    sliding_window=16,
    max_rewind=8,
    caches=(),
    row_dimension=None,
    draft=CONTRACT,
)


@pytest.mark.parametrize(
    ("options", "tokens"),
    [
        (DraftOptions(), 3),
        (DraftOptions(n_draft=2), 2),
        (DraftOptions(block_length=3), 2),
        (DraftOptions(enabled=False), 0),
    ],
)
def test_options_say_how_many_tokens_are_proposed(options: DraftOptions, tokens: int) -> None:
    """All that the block has room for, or fewer."""
    drafting = Drafting.of(SPECULATIVE, options)

    assert drafting is not None
    assert drafting.tokens == tokens


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (DraftOptions(n_draft=4), "4 proposals a round; a block of 4 has room for 3"),
        (DraftOptions(block_length=3, n_draft=3), "a block of 3 has room for 2"),
        (DraftOptions(block_length=5), "a block of 5 tokens; the program's has 2 to 4"),
        (DraftOptions(block_length=1), "a block of 1 tokens"),
    ],
)
def test_options_that_the_program_has_no_room_for_are_refused(
    options: DraftOptions, reason: str
) -> None:
    """With both numbers."""
    with pytest.raises(EngineError, match=reason):
        Drafting.of(SPECULATIVE, options)


def test_a_program_without_a_draft_makes_none() -> None:
    """Whatever is asked."""
    assert Drafting.of(replace(SPECULATIVE, draft=None), DraftOptions(n_draft=9)) is None
