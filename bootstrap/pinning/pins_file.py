"""What does a pins file say? Values, or an error that names the file, the table and the key.

    default = "PIN"               what `executorch==X` takes everything else from
    extends = "FILE"              another pins file, whose tables hold where this one has none
    [runtime.NAME], [model.NAME]  see `pins.Runtime`, `pins.Model`
    [tool.NAME]                   see `pins.Tool`
    [pin.NAME]                    runtime, model, and options (`pins.Options`)

Every table has a `why`.  Paths are relative to the file that says them.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast, get_args

from bootstrap.errors import PinsFileWrong
from bootstrap.pinning.pins import (
    Model,
    Options,
    Pin,
    PinnedFile,
    Pins,
    Platform,
    Runtime,
    Tool,
    WorkerKind,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["OF_PYTHON_WORKERS", "read_pins"]

SHA256 = re.compile(r"[0-9a-f]{64}")
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
MOST_THREADS = 64
OF_PYTHON_WORKERS = ("threads", "dflash", "worker")
"""Options of a pin that a native worker has not: it is what was built, with the pin's `flags`."""


def read_pins(path: Path) -> Pins:
    """A pins file, with all that it extends.

    Raises:
        PinsFileWrong: it cannot be read, or says something that cannot be used.
    """
    return _read(path, ())


def _read(path: Path, above: tuple[Path, ...]) -> Pins:
    if path.resolve() in above:
        raise PinsFileWrong(path, "extends", "extends itself")
    top = _Table(path, "", _parsed(path))
    extends = top.text("extends", "")
    below = _read(path.parent / extends, (*above, path.resolve())) if extends else None
    runtimes = {name: _runtime(name, table) for name, table in top.tables("runtime")}
    models = {name: _model(name, table) for name, table in top.tables("model")}
    tools = {name: _tool(name, table) for name, table in top.tables("tool")}
    if below:
        runtimes = {**below.runtimes, **runtimes}
        models = {**below.models, **models}
        tools = {**below.tools, **tools}
    pins = {name: _pin(name, table, runtimes, models) for name, table in top.tables("pin")}
    if below:
        pins = {**below.pins, **pins}
    default = top.text("default", below.default if below else "")
    if default and default not in pins:
        raise PinsFileWrong(path, "default", f"no pin has the name {default!r}")
    top.done()
    return Pins(path, default, runtimes, models, pins, tools)


def _parsed(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as problem:
        raise PinsFileWrong(path, "", f"cannot be read: {problem.strerror}") from problem
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        raise PinsFileWrong(path, "", f"not TOML: {problem}") from problem


def _runtime(name: str, table: _Table) -> Runtime:
    worker = table.text("worker")
    if worker not in get_args(WorkerKind):
        raise table.wrong("worker", f"is {worker!r}, not one of {', '.join(get_args(WorkerKind))}")
    platform = table.text("platform", "any")
    if platform not in get_args(Platform):
        raise table.wrong(
            "platform", f"is {platform!r}, not one of {', '.join(get_args(Platform))}"
        )
    patch = table.table("patch")
    runtime = Runtime(
        name=name,
        why=table.text("why"),
        worker=cast("WorkerKind", worker),
        executorch=table.text("executorch"),
        module=table.text("module"),
        torch=table.text("torch", ""),
        python=table.text("python", ""),
        packages=table.texts("packages"),
        loads=table.text("loads", ""),
        flags=table.texts("flags"),
        repository=table.text("repository", ""),
        build=table.texts("build"),
        # The project's patches are beside the folder of its pins.
        patch=_file(patch, stays_below=False) if patch else None,
        folder=table.path.parent,
        products=table.texts("products"),
        platform=cast("Platform", platform),
    )
    table.text("unprepared", "")  # said in files of before there was a `platform`
    if worker == "python" and not runtime.torch:
        raise table.wrong("torch", "is missing")
    if runtime.loads and not re.fullmatch(r"[\w.]+:\w+", runtime.loads):
        raise table.wrong("loads", f"is {runtime.loads!r}, not module:function")
    table.done()
    return runtime


def _model(name: str, table: _Table) -> Model:
    model = Model(
        name=name,
        why=table.text("why"),
        folder=(table.path.parent / table.text("folder")).resolve(),
        files=tuple(_file(each) for each in table.list_of_tables("files")),
        revision=table.text("revision", ""),
        repository=table.text("repository", ""),
        url=table.text("url", ""),
        manifest=table.values("manifest"),
    )
    if model.file("program") is None:
        raise table.wrong("files", "has none with role = 'program'")
    table.done()
    return model


def _file(table: _Table, *, stays_below: bool = True) -> PinnedFile:
    file = PinnedFile(
        path=table.text("path"),
        role=table.text("role", ""),
        bytes=table.whole("bytes"),
        sha256=table.text("sha256", "") or None,
        source=table.text("source", ""),
    )
    if Path(file.path).is_absolute() or (stays_below and ".." in Path(file.path).parts):
        raise table.wrong("path", f"is {file.path!r}, which does not stay below its folder")
    if file.sha256 and not SHA256.fullmatch(file.sha256):
        raise table.wrong("sha256", f"is {file.sha256!r}, not 64 hexadecimal digits in lower case")
    table.done()
    return file


def _tool(name: str, table: _Table) -> Tool:
    archives = {str(key): str(value) for key, value in table.values("archives").items()}
    for platform, sha256 in archives.items():
        if not SHA256.fullmatch(sha256):
            raise table.wrong(f"archives.{platform}", f"is {sha256!r}, not a SHA-256")
    tool = Tool(
        name=name,
        why=table.text("why"),
        version=table.text("version"),
        url=table.text("url"),
        archives=archives,
    )
    table.done()
    return tool


def _pin(
    name: str, table: _Table, runtimes: Mapping[str, Runtime], models: Mapping[str, Model]
) -> Pin:
    runtime, model = table.text("runtime"), table.text("model")
    if runtime not in runtimes:
        raise table.wrong("runtime", f"is {runtime!r}, which no table [runtime.*] has")
    if model not in models:
        raise table.wrong("model", f"is {model!r}, which no table [model.*] has")
    threads = table.whole("threads")
    if threads is not None and not 1 <= threads <= MOST_THREADS:
        raise table.wrong("threads", f"is {threads}, not 1 to {MOST_THREADS}")
    for key in OF_PYTHON_WORKERS:
        if key in table.told and runtimes[runtime].worker == "native":
            raise table.wrong(key, f"is for a Python worker, and {runtime} is built")
    pin = Pin(
        name=name,
        kind="pin",
        why=table.text("why"),
        runtime=runtimes[runtime],
        model=models[model],
        options=Options(
            threads=threads,
            dflash=table.flag("dflash", default=True),
            worker=table.text("worker", ""),
        ),
    )
    table.done()
    return pin


@dataclass(slots=True)
class _Table:
    """One table of a file, read key by key; `done` refuses what nobody asked for."""

    path: Path
    where: str
    told: dict[str, Any]
    known: set[str] = field(default_factory=set)

    def wrong(self, key: str, problem: str) -> PinsFileWrong:
        return PinsFileWrong(
            self.path, ".".join(part for part in (self.where, key) if part), problem
        )

    def text(self, key: str, default: str | None = None) -> str:
        value = self._get(key, str, "a text", default)
        if not value.strip() and default is None:
            raise self.wrong(key, "is empty")
        return str(value)

    def whole(self, key: str) -> int | None:
        value = self._get(key, int, "a whole number", None, optional=True)
        return None if value is None else int(value)

    def flag(self, key: str, *, default: bool) -> bool:
        return bool(self._get(key, bool, "true or false", default))

    def texts(self, key: str) -> tuple[str, ...]:
        values = self._get(key, list, "a list of texts", [])
        if not all(isinstance(value, str) for value in values):
            raise self.wrong(key, "is not a list of texts")
        return tuple(values)

    def table(self, key: str) -> _Table | None:
        value = self._get(key, dict, "a table", None, optional=True)
        return None if value is None else _Table(self.path, f"{self.where}.{key}", value)

    def values(self, key: str) -> dict[str, object]:
        """A table of anything: whoever uses it knows its keys."""
        return dict(self._get(key, dict, "a table", {}))

    def list_of_tables(self, key: str) -> list[_Table]:
        values = self._get(key, list, "a list of tables", None)
        if not all(isinstance(value, dict) for value in values):
            raise self.wrong(key, "is not a list of tables")
        return [
            _Table(self.path, f"{self.where}.{key}[{number}]", value)
            for number, value in enumerate(values, 1)
        ]

    def tables(self, key: str) -> list[tuple[str, _Table]]:
        tables = []
        for name, value in self._get(key, dict, "tables", {}).items():
            if not isinstance(value, dict):
                raise self.wrong(f"{key}.{name}", "is not a table")
            if not NAME.fullmatch(name):
                raise self.wrong(f"{key}.{name}", "names are letters, digits, '.', '_' and '-'")
            tables.append((name, _Table(self.path, f"{key}.{name}", value)))
        return tables

    def done(self) -> None:
        if unknown := sorted(self.told.keys() - self.known):
            raise self.wrong(unknown[0], f"no such key; known: {', '.join(sorted(self.known))}")

    def _get(
        self, key: str, kind: type, called: str, default: object, *, optional: bool = False
    ) -> Any:  # noqa: ANN401  (checked against `kind`)
        self.known.add(key)
        value = self.told.get(key, default)
        if value is None and not optional:
            raise self.wrong(key, "is missing")
        if value is not None and type(value) is not kind:
            raise self.wrong(key, f"is {value!r}, not {called}")
        return value
