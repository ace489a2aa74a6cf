"""How are probes sent to a target, from the first request to the reports?

    meet the target → each probe in turn, over the same connections: send, record → keep what is
    known, derive the reports

Every request is on disk when it has ended.  A probe that takes a part of another answer is left
out where that answer is too short; `judge` says so.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from harness.client import TurnRequest
from harness.conformance.heard import hear
from harness.conformance.judge import judge_probes, label_of, middle_of
from harness.conformance.scenario import CHAT_PATH, SLICE, parse_probes
from harness.plan import Promise
from harness.played import play_back
from harness.report.conformance import tell_probes
from harness.report.sheets import sheet_reports
from harness.results import Promised, RunRecord, read_run_as
from harness.runner import see, why_stopped
from harness.scenario import digest
from harness.target import meet

if TYPE_CHECKING:
    from harness.clock import Clock
    from harness.conformance.heard import Heard
    from harness.conformance.judge import ProbesResult
    from harness.conformance.scenario import Probe, Probes
    from harness.fingerprint import Fingerprint
    from harness.results import RunFolder
    from harness.runner import Chat, Progress
    from harness.target import Target

__all__ = ["ProbesOrder", "play_probes"]


@dataclass(frozen=True, slots=True)
class ProbesOrder:
    """What is to be run."""

    probes: Probes
    text: str
    """The scenario file, as it is."""
    salt: str
    fingerprint: Fingerprint


async def play_probes(
    order: ProbesOrder,
    target: Target,
    chat: Chat,
    folder: RunFolder,
    *,
    clock: Clock,
    progress: Progress,
) -> ProbesResult:
    """Send every probe; the result, which is on disk too.

    Raises:
        TargetError: the target cannot be met, or died; what was played before is on disk.
    """
    probes, started_at = order.probes, clock.wall_iso()
    seen = await see(target, chat)
    record = RunRecord(
        scenario=probes.name,
        scenario_sha256=digest(order.text),
        repeats=1,
        seed=0,
        salt=order.salt,
        started_at=started_at,
        fingerprint=order.fingerprint,
        target=seen,
        promised=tuple(Promised(label_of(probes, probe), Promise()) for probe in probes.probe),
    )
    folder.keep_scenario(order.text)
    folder.keep_record(record)
    progress.started(record, len(probes.probe))
    heard: dict[str, Heard] = {}
    try:
        for probe in probes.probe:
            beside = heard.get(probe.beside or "")
            part = middle_of(beside) if probe.cuts else ""
            if part is None:
                continue
            label = label_of(probes, probe)
            progress.turn_started(label)
            request = _request(order, probe, seen.model, part)
            trace = await chat.turn(request)
            folder.append(trace)
            heard[probe.name] = hear(probe, trace, beside)
            progress.turn_ended(*play_back({label: Promise()}, [trace]))
            if trace.transport_error:
                await meet(chat.get_json, record.target.url, record.target.model)  # or is it gone?
    except BaseException as problem:
        record = replace(record, stopped=why_stopped(problem))
        raise
    finally:
        folder.keep_record(replace(record, ended_at=clock.wall_iso()))
    result = judge_probes(*read_run_as(parse_probes, folder.path))
    folder.keep_reports(sheet_reports(result, tell_probes(result)))
    return result


def _request(order: ProbesOrder, probe: Probe, model: str, part: str) -> TurnRequest:
    body: dict[str, Any] = {}
    content = None
    if probe.content is not None:
        content = probe.content.replace("{model}", model)
        body = _parsed(content)  # so that the trace says what was asked
    elif probe.path == CHAT_PATH and probe.method == "POST":
        asked = {"model": model, **order.probes.body, **probe.body}
        body = {k: _filled(v, part) for k, v in asked.items() if k not in probe.without}
    raw = content
    if probe.padding:
        raw = (content or json.dumps(body, ensure_ascii=False)) + " " * (probe.padding * 2**20)
    return TurnRequest(
        label=label_of(order.probes, probe),
        body=body,
        headers=dict(probe.headers),
        path=probe.path,
        method=probe.method,
        trace_id=f"{order.salt}-{probe.name}",
        content=None if raw is None else raw.encode(),
    )


def _parsed(content: str) -> dict[str, Any]:
    try:
        value = json.loads(content)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _filled(value: Any, part: str) -> Any:  # noqa: ANN401 - JSON
    if isinstance(value, str):
        return value.replace(SLICE, part)
    if isinstance(value, list | tuple):
        return [_filled(each, part) for each in value]
    if isinstance(value, dict):
        return {name: _filled(each, part) for name, each in value.items()}
    return value
