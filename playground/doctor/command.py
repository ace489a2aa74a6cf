"""`muse-playground doctor`: look at everything, and say what to mend.

    --json      print JSON: what to send to whoever is to help
    --quick     hash nothing and start nothing

and every flag of `muse-playground`: what they name is what is looked at.

Exit codes: 0 all right, 1 something to mend, 2 used wrongly, 130 stopped.
"""

from __future__ import annotations

import getpass
import json
import re
import socket
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from playground.checkout import checkout
from playground.doctor.finding import Finding, State
from playground.doctor.machine import look_at_machine, look_at_memory, look_at_power
from playground.doctor.patient import Patient
from playground.doctor.report import Report, Scrubber
from playground.doctor.serving import (
    look_at_disk,
    look_at_leftovers,
    look_at_model,
    look_at_page,
    look_at_port,
    look_at_profile,
)
from playground.doctor.software import (
    look_at_pins,
    look_at_python,
    look_at_setup,
    look_at_tools,
    served_profile,
)
from playground.doctor.trial import try_worker
from playground.doctor.unproven import NOT_RUN_ON_A_MAC
from playground.profile import ProfileBroken
from playground.settings import SettingsError, read_settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

__all__ = ["examine", "scrubber"]

LOOKS: tuple[tuple[str, Callable[[Patient], Iterator[Finding]]], ...] = (
    ("machine", look_at_machine),
    ("memory", look_at_memory),
    ("power", look_at_power),
    ("python", look_at_python),
    ("toolchain", look_at_tools),
    ("setup", look_at_setup),
    ("pins", look_at_pins),
    ("profile", look_at_profile),
    ("model", look_at_model),
    ("page", look_at_page),
    ("disk", look_at_disk),
    ("port", look_at_port),
    ("last launch", look_at_leftovers),
)
USAGE = f"usage: muse-playground doctor [--json] [--quick] [options]\n\n{__doc__}"


def examine(
    argv: Sequence[str],
    environ: Mapping[str, str],
    out: TextIO,
    err: TextIO,
    *,
    platform: str,
    root: Path | None = None,
) -> int:
    """Do what the arguments say; the exit code. `root` is another checkout than this one."""
    if {"-h", "--help"} & set(argv):
        print(USAGE, file=out)
        return 0
    own = {"--json", "--quick"}
    arguments = tuple(word for word in argv if word not in own)
    try:
        settings, profile_problem = read_settings(arguments, environ), None
    except SettingsError as error:
        if not isinstance(error.__cause__, ProfileBroken):
            print(f"muse-playground doctor: {error}", file=err)
            return 2
        arguments = (*arguments, "--profile", "none")
        settings, profile_problem = read_settings(arguments, environ), str(error)
    patient = Patient(
        settings=settings,
        arguments=arguments,
        environ=environ,
        root=root or checkout(),
        platform=platform,
        quick="--quick" in argv,
        profile_problem=profile_problem,
    )
    try:
        report = look(patient)
    except KeyboardInterrupt:
        return 130
    if "--json" in argv:
        print(json.dumps(report.to_json(scrubber(patient)), indent=2), file=out)
    else:
        print(report.in_words(), file=out)
    return report.exit_code


def look(patient: Patient) -> Report:
    """Look at everything; a look that fails is a finding."""
    findings: list[Finding] = []
    for name, each in LOOKS:
        try:
            findings += each(patient)
        except Exception as error:  # noqa: BLE001 - whatever is broken here, the rest is looked at
            findings.append(_not_looked_at(name, error))
    facts: Mapping[str, Any] = {}
    try:
        worker, facts = try_worker(patient)
    except Exception as error:  # noqa: BLE001 - as above
        worker = _not_looked_at("worker", error)
    profile = served_profile(patient)
    commit, changed = _revision(patient)
    return Report(
        version=_version(),
        commit=commit,
        changed=changed,
        profile=profile,
        quick=patient.quick,
        findings=[*findings, worker],
        facts=facts,
        not_run_on_a_mac=NOT_RUN_ON_A_MAC if patient.is_mac or profile == "muse" else (),
    )


def scrubber(patient: Patient) -> Scrubber:
    """What takes the names of this person and this machine out of a report."""
    home = _home(patient)
    roots = [] if patient.root is None else [patient.root, patient.root.resolve()]
    folders = [(str(root), "CHECKOUT") for root in roots]
    users = {patient.environ.get(name, "") for name in ("USER", "LOGNAME")} | {_user()}
    if home is not None:
        folders += [(str(folder), "~") for folder in (home, home.resolve())]
        users.add(home.name)
    host = socket.gethostname()
    hosts = {host, host.partition(".")[0]} - {"localhost"}
    words = [(user, "USER") for user in users] + [(name, "HOST") for name in hosts]
    return Scrubber(
        folders=[each for each in folders if len(each[0]) > 1],
        words=sorted(((word, to) for word, to in words if word), key=lambda each: -len(each[0])),
    )


def _not_looked_at(name: str, error: Exception) -> Finding:
    said = f"it could not be looked at: {type(error).__name__}: {error}"
    return Finding(name, State.FAIL, said, "send this report: the doctor itself is wrong here")


def _revision(patient: Patient) -> tuple[str | None, bool | None]:
    if patient.root is None:
        return None, None
    head = patient.ask("git", "rev-parse", "HEAD").out.strip()
    if not re.fullmatch(r"[0-9a-f]{40,64}", head):
        return None, None
    status = patient.ask("git", "status", "--porcelain")
    return head, bool(status.out.strip()) if status.code == 0 else None


def _home(patient: Patient) -> Path | None:
    try:
        return Path(patient.environ.get("HOME") or Path.home())
    except RuntimeError:  # a user id without a name
        return None


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # a user id without a name
        return ""


def _version() -> str:
    try:
        return version("muse-bench")
    except PackageNotFoundError:  # run from a checkout that was never installed
        return "unknown"
