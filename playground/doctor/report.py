"""What was found, for a person at a terminal, and as JSON to be sent to somebody else.

    {"schema": 1, "version": "0.1.0", "commit": "…" | null, "changed": true | false | null,
     "profile": "muse" | "embedded" | null, "quick": false, "exit_code": 0 | 1,
     "checks": [{"name", "state": "ok" | "warn" | "fail" | "skipped" | "not-run", "found", "todo"}],
     "facts": {what the worker's server says of itself; empty where it was not started},
     "not_run_on_a_mac": [what nobody has run on a Mac yet; empty where this is none]}

Nothing in it names a person or a machine: the home folder is `~`, the checkout `CHECKOUT`, and
where a user's or a host's name stands there is `USER` or `HOST`. Words that this module or the
setup chose, as states are, stay what they are, whoever is called so.
"""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from playground.doctor.finding import Finding, State, exit_code

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

__all__ = ["Report", "Scrubber"]

SCHEMA = 1
WIDTH = 100


@dataclass(frozen=True, slots=True)
class Scrubber:
    """Takes away what names a person or a machine."""

    folders: Sequence[tuple[str, str]]
    """Paths and what stands for them, those inside of others first."""
    words: Sequence[tuple[str, str]]
    """Names and what stands for them; only where they stand as words of their own."""

    def scrub(self, told: Any) -> Any:  # noqa: ANN401 - any JSON
        """The same, without them."""
        if isinstance(told, str):
            return self._text(told)
        if isinstance(told, dict):
            return {key: self.scrub(value) for key, value in told.items()}
        if isinstance(told, list | tuple):
            return [self.scrub(value) for value in told]
        return told

    def _text(self, text: str) -> str:
        for folder, stands_for in self.folders:
            text = re.sub(rf"{re.escape(folder)}(?![^/\s:;,)'\"])", stands_for, text)
        for word, stands_for in self.words:
            text = re.sub(rf"(?<![\w-]){re.escape(word)}(?![\w-])", stands_for, text)
        return text


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that was found."""

    version: str
    commit: str | None
    changed: bool | None
    """Whether the checkout differs from its commit."""
    profile: str | None
    quick: bool
    findings: Sequence[Finding]
    facts: Mapping[str, Any]
    not_run_on_a_mac: Sequence[str]

    @property
    def exit_code(self) -> int:
        """0 all right, 1 something to mend."""
        return exit_code(list(self.findings))

    def to_json(self, scrubber: Scrubber) -> dict[str, Any]:
        """See the module."""
        scrub = scrubber.scrub
        return {
            "schema": SCHEMA,
            "version": self.version,
            "commit": self.commit,
            "changed": self.changed,
            "profile": self.profile,
            "quick": self.quick,
            "exit_code": self.exit_code,
            "checks": [
                {**told, "found": scrub(told["found"]), "todo": scrub(told["todo"])}
                for told in map(Finding.to_json, self.findings)
            ],
            "facts": scrub(self.facts),
            "not_run_on_a_mac": list(self.not_run_on_a_mac),
        }

    def in_words(self) -> str:
        """The table."""
        changed = ", with changes" if self.changed else ""
        commit = f", commit {self.commit[:12]}{changed}" if self.commit else ""
        lines = [f"muse-playground doctor, version {self.version}{commit}", ""]
        for finding in self.findings:
            lines += _row(finding)
        lines += ["", self._sum()]
        if self.not_run_on_a_mac:
            lines += ["", "Not run on a Mac by anybody yet; what you see is news to its authors:"]
            lines += [f"  - {each}" for each in self.not_run_on_a_mac]
        return "\n".join(lines)

    def _sum(self) -> str:
        counts = Counter(finding.state for finding in self.findings)
        said = f"{counts[State.FAIL] or 'nothing'} to mend"
        more = [
            f"{counts[state]} {words}"
            for state, words in ((State.WARN, "to know"), (State.NOT_RUN, "not looked at"))
            if counts[state]
        ]
        return "; ".join([said, *more])


def _row(finding: Finding) -> Iterator[str]:
    head = f"{finding.state.value:<8} {finding.name:<18} "
    found = textwrap.wrap(
        finding.found, WIDTH - len(head), break_long_words=False, break_on_hyphens=False
    )
    margin = " " * len(head)
    yield head + (found[0] if found else "")
    yield from (margin + line for line in found[1:])
    if finding.todo:
        todo = textwrap.wrap(
            f"-> {finding.todo}", WIDTH - len(head), break_long_words=False, break_on_hyphens=False
        )
        yield from (margin + line for line in todo)
