"""On what, with what and how was it measured, line by line?

What is not known is not listed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from harness.units import BYTES, SECONDS, format_value

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from harness.fingerprint import Fingerprint
    from harness.judge import Result
    from harness.results import RunRecord, Seen
    from harness.scenario import Settings
    from harness.units import Unit

__all__ = [
    "environment",
    "environment_of",
    "settings_line",
    "surroundings",
    "surroundings_of_machine",
]


def environment(result: Result) -> list[tuple[str, str]]:
    """On what, with what and how it was measured; what is not known is not listed."""
    record, scenario = result.record, result.scenario
    told = [
        ("settings", settings_line(scenario.settings)),
        ("repeats", f"{record.repeats}{_warm_ups(scenario.warm_ups)}"),
        ("seed, salt", f"{record.seed}, {record.salt}"),
    ]
    return environment_of(record, told)


def environment_of(record: RunRecord, told: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """The same of any run; `told` is what is to be said of how it was asked."""
    pairs = [
        *surroundings(record.target, record.fingerprint),
        ("driver", record.driven.by if record.driven else ""),
        ("browser", record.driven.browser if record.driven else ""),
        ("scenario", f"{record.scenario}, sha256 {record.scenario_sha256}"),
        *told,
        ("started", record.started_at),
        ("ended", record.ended_at or ""),
        ("stopped", record.stopped),
    ]
    return [(name, value) for name, value in pairs if value]


def surroundings(target: Seen, machine: Fingerprint) -> list[tuple[str, str]]:
    """The target, the machine and the harness; what is not known is not listed."""
    runtime = target.runtime or {}
    memory = (target.runtime_after or runtime).get("memory")
    peak = memory if isinstance(memory, dict) else {}
    pairs = [
        ("target", f"{target.kind}, {target.url}"),
        ("model", _joined(runtime, "model", "modelId") or target.model),
        ("runtime", _joined(runtime, "backend", "device")),
        ("artifact", _joined(runtime, "artifact", "artifactSha256")),
        ("threads", _text(runtime.get("threads"))),
        ("context", _text(runtime.get("contextLength"), "tokens")),
        (
            "target versions",
            _versions(
                ("executorch", runtime.get("executorchVersion")),
                ("torch", runtime.get("torchVersion")),
                ("python", runtime.get("workerPythonVersion") or runtime.get("pythonVersion")),
            ),
        ),
        ("command to ready", _quantity(target.ready_s, SECONDS)),
        ("model load", _quantity(_over(runtime.get("loadTimeMs"), 1000), SECONDS)),
        ("peak memory, server", _quantity(peak.get("serverPeakBytes"), BYTES)),
        ("peak memory, worker", _quantity(peak.get("workerPeakBytes"), BYTES)),
        *surroundings_of_machine(machine),
    ]
    return [(name, value) for name, value in pairs if value]


def surroundings_of_machine(machine: Fingerprint) -> list[tuple[str, str]]:
    """The machine and the harness; what is not known is not listed."""
    commit = machine.commit
    pairs = [
        ("machine", f"{machine.processor}, {machine.cores} cores, {machine.machine}"),
        ("memory of the machine", _quantity(machine.memory_bytes, BYTES)),
        ("system", machine.system),
        ("python", machine.python),
        ("packages", _versions(*machine.packages.items())),
        (
            "commit",
            f"{commit.revision}{' with local changes' if commit.dirty else ''}" if commit else "",
        ),
    ]
    return [(name, value) for name, value in pairs if value]


def _warm_ups(number: int) -> str:
    return f", after {number} to warm up" if number else ""


def _joined(facts: Mapping[str, Any], *keys: str) -> str:
    return ", ".join(str(facts[key]) for key in keys if facts.get(key))


def _text(value: object, unit: str = "") -> str:
    return f"{value} {unit}".strip() if value is not None else ""


def _versions(*versions: tuple[str, object]) -> str:
    return ", ".join(f"{name} {version}" for name, version in versions if version)


def _over(value: object, divisor: float) -> float | None:
    return value / divisor if isinstance(value, int | float) else None


def _quantity(value: object, unit: Unit) -> str:
    return format_value(value, unit) if isinstance(value, int | float) else ""


def settings_line(settings: Settings) -> str:
    """Generation settings in a line."""
    return ", ".join(f"{name} {value}" for name, value in settings.fields().items())
