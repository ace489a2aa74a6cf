"""A run of load, told: client by client, alone against loaded, the queue, the probes."""

from __future__ import annotations

import statistics
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from harness.dirty import is_dirty, told_stains
from harness.load.fairness import overtaken, waited_s
from harness.load.plan import PHASES
from harness.load.seen import Fate
from harness.load.service import is_good, limits
from harness.metrics import METRICS
from harness.report.document import turn_document
from harness.report.environment import settings_line
from harness.report.figures import Samples
from harness.report.sheets import Row, SampleSheet, Sheet, Told
from harness.stats import summarise
from harness.units import NOTHING, SECONDS, format_value
from harness.verdict import worst_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from harness.judged import Judged
    from harness.load.judge import LoadResult
    from harness.load.seen import Probe, SeenRequest
    from harness.trace import Trace

__all__ = ["tell_load"]

TIMED = ("client.ttft", "client.tpot", "client.to_done", "server.queue")
CLIENTS = (
    "client",
    "session",
    "asked",
    "answered",
    "good",
    "TTFT",
    "longest",
    "queue",
    "overtaken",
)
REQUESTS = ("request", "client", "sent", "fate", "first token", "ended", "waited", "queue told")
PROBES = ("path", "when", "asked", "dirty", "median", "p95", "p99", "slowest", "not answered")


def tell_load(result: LoadResult) -> Told:
    """Every client as a row, every phase against the turn alone, every probe counted."""
    record, load = result.record, result.scenario
    suites: dict[str, list[Judged]] = {}
    for each in result.judged:
        about = each.label.leg.partition(".")[0] if each.label else each.about
        suites.setdefault(about, []).append(each)
    return Told(
        kind="load",
        question=load.question,
        answer=load.answer,
        environment=(
            ("settings", settings_line(load.settings)),
            ("clients, rounds", f"{load.load.clients}, {record.repeats}"),
            ("seed, salt", f"{record.seed}, {record.salt}"),
            ("dirty", told_stains(turn.seen.trace for turn in result.turns)),
        ),
        sheets=(
            Sheet("Clients of the loop", CLIENTS, tuple(_clients(result))),
            Sheet(
                "Alone and loaded",
                ("figure", "alone", "loop", "burst", "loop / alone"),
                tuple(_figures(result)),
                "Medians over the requests that were answered, with how many there are.",
            ),
            Sheet(
                "Probes",
                PROBES,
                tuple(_probes(result)),
                "Times of the clean ones; a percentile is told where there are enough for it.",
            ),
            Sheet(
                "Burst, and those who went away",
                REQUESTS,
                tuple(_row(result, r) for phase in PHASES[2:] for r in result.of(phase)),
                "Instants since the first of its phase was sent.",
            ),
        ),
        brief=Sheet(
            "Phases", ("phase", "sent", "answered", "TTFT", "outcome"), tuple(_phases(result))
        ),
        suites=suites,
        samples=tuple(_samples(result)),
        document=_document(result),
        headline=_headline(result),
    )


def _headline(result: LoadResult) -> str:
    """What the verdicts on goodput and probes say."""
    told = [
        f"{each.about}: {each.verdict.message}"
        for each in result.judged
        if each.verdict.check in {"load.goodput", "load.probes"}
    ]
    return "; ".join(told)


def _phases(result: LoadResult) -> Iterator[Row]:
    for phase in PHASES:
        own = result.of(phase)
        outcome = worst_of(
            each.verdict.outcome
            for each in result.judged
            if (each.label.leg.partition(".")[0] if each.label else each.about) == phase
        )
        served = sum(each.fate is Fate.SERVED for each in own)
        cells = (phase, str(len(own)), str(served), _median(own, "client.ttft"), outcome.value)
        yield Row(cells, outcome)


def _clients(result: LoadResult) -> Iterator[Row]:
    weight = result.scenario.load
    bounds = limits(weight.goodput, weight.clients, result.alone)
    loop = result.of("loop")
    wrong = [first for first, _ in overtaken(loop, weight.tie_ms / 1e3)]
    for name in sorted({each.planned.client for each in loop}):
        own = [each for each in loop if each.planned.client == name]
        ttft = [value for each in own if (value := each.figure("client.ttft")) is not None]
        yield Row(
            (
                name,
                own[0].planned.session or "anonymous",
                str(len(own)),
                str(sum(each.fate is Fate.SERVED for each in own)),
                str(sum(is_good(each, *bounds) for each in own)),
                _median(own, "client.ttft"),
                format_value(max(ttft, default=None), SECONDS),
                _median(own, "server.queue"),
                str(sum(each.planned.client == name for each in wrong)),
            )
        )


def _figures(result: LoadResult) -> Iterator[Row]:
    phases = _measured(result)
    for name in TIMED:
        values = {phase: _values(own, name) for phase, own in phases.items()}
        middles = {phase: statistics.median(v) if v else None for phase, v in values.items()}
        alone, loop = middles["alone"], middles["loop"]
        told = [
            f"{format_value(middles[phase], METRICS[name].unit)} (n = {len(values[phase])})"
            for phase in phases
        ]
        ratio = f"{loop / alone:.2f}" if alone and loop is not None else NOTHING
        yield Row((METRICS[name].title, *told, ratio))


def _measured(result: LoadResult) -> dict[str, list[SeenRequest]]:
    """The requests whose times are told, by phase; warm-ups are not among them."""
    return {
        "alone": [each for each in result.of("alone") if each.planned.label.turn > 0],
        "loop": list(result.of("loop")),
        "burst": list(result.of("burst")),
    }


def _samples(result: LoadResult) -> Iterator[SampleSheet]:
    """Each time phase by phase, and what the probes took."""
    for name in TIMED:
        rows = [
            _strip(phase, place, [(each.figure(name), each.trace) for each in own])
            for place, (phase, own) in enumerate(_measured(result).items())
        ]
        if any(row.values for row in rows):
            yield SampleSheet(METRICS[name].title, METRICS[name].unit, tuple(rows))
    probed = [
        _strip(f"{path}, {when}", place, [(probe.took_s, probe.trace) for probe in own])
        for path, probes in result.probes.items()
        for place, (when, own) in enumerate(_by_load(result, path, probes).items())
    ]
    if any(row.values for row in probed):
        yield SampleSheet("probes", SECONDS, tuple(probed))


def _strip(name: str, place: int, found: Iterable[tuple[float | None, Trace]]) -> Samples:
    told = [(value, is_dirty(trace)) for value, trace in found if value is not None]
    values, dirty = zip(*told, strict=True) if told else ((), ())
    return Samples(name, values, dirty, color=f"leg-{place % 4}", reason="nothing was told")


def _by_load(result: LoadResult, path: str, probes: Sequence[Probe]) -> dict[str, Sequence[Probe]]:
    loaded = result.loaded(path)
    return {"alone": probes[: len(probes) - len(loaded)], "loaded": loaded}


def _probes(result: LoadResult) -> Iterator[Row]:
    for path, probes in result.probes.items():
        for when, own in _by_load(result, path, probes).items():
            if own:
                yield Row((path, when, *_probe_cells(own)))


def _probe_cells(probes: Sequence[Probe]) -> tuple[str, ...]:
    clean = [probe for probe in probes if not is_dirty(probe.trace)]
    found = summarise([probe.took_s for probe in clean if probe.took_s is not None])
    return (
        str(len(probes)),
        str(len(probes) - len(clean)),
        format_value(found.median, SECONDS),
        format_value(found.percentiles.get(95), SECONDS),
        format_value(found.percentiles.get(99), SECONDS),
        format_value(found.maximum, SECONDS),
        str(sum(probe.took_s is None for probe in clean)),
    )


def _row(result: LoadResult, request: SeenRequest) -> Row:
    begun = result.of(request.planned.phase)[0].sent_s

    def since(at: float | None) -> str:
        return NOTHING if at is None else format_value(at - begun, SECONDS)

    status = request.trace.status
    fate = f"{request.fate.value} {status}" if request.fate is Fate.REFUSED else request.fate.value
    return Row(
        (
            request.planned.phase,
            request.planned.client,
            since(request.sent_s),
            fate,
            since(request.first_s),
            since(request.closed_s),
            format_value(waited_s(request, result.requests), SECONDS),
            format_value(request.figure("server.queue"), SECONDS),
        )
    )


def _document(result: LoadResult) -> dict[str, Any]:
    load, alone = result.scenario, result.alone
    bounds = limits(load.load.goodput, load.load.clients, alone)
    return {
        "scenario": {"load": asdict(load.load), "settings": asdict(load.settings)},
        "capabilities": {"reuse": result.can.reuse.value, "why": result.can.why},
        "alone": {"ttft": alone.ttft_s, "to_done": alone.whole_s, "tpot": alone.tpot_s},
        "limits": {"ttft": bounds[0], "tpot": bounds[1]},
        "requests": [
            {
                "phase": each.planned.phase,
                "client": each.planned.client,
                "fate": each.fate.value,
                "sent": each.sent_s,
                "first": each.first_s,
                "closed": each.closed_s,
                "waited": waited_s(each, result.requests),
                "good": is_good(each, *bounds),
                "marks": dict(each.trace.marks),
            }
            for each in result.requests
        ],
        "probes": {
            path: [{"sent": p.sent_s, "took": p.took_s, "dirty": is_dirty(p.trace)} for p in probes]
            for path, probes in result.probes.items()
        },
        "turns": [turn_document(turn) for turn in result.turns],
    }


def _values(requests: Iterable[SeenRequest], name: str) -> list[float]:
    return [value for each in requests if (value := each.figure(name)) is not None]


def _median(requests: Iterable[SeenRequest], name: str) -> str:
    values = _values(requests, name)
    return format_value(statistics.median(values) if values else None, METRICS[name].unit)
