"""Which package may look at which? The arrows of the layout, held by reading the imports."""

from __future__ import annotations

import ast
import os
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

ROOT = Path(__file__).parent.parent
PACKAGES = ("playground", "harness", "bootstrap")
BASE_DEPENDENCIES = {"httpx", "httpcore", "pydantic", "pydantic_core", "rich"}
MODEL_RUNTIMES = {"torch", "executorch", "transformers", "torchao"}
WORKER_PROCESS_ONLY = {"playground.worker.program", "playground.worker.pte"}
GATE, GATE_DEPENDENCIES = "harness.gate", {"numpy", "pandas", "scipy"}
"""What the extra `gate` brings, and whose it is."""
BROWSER_DRIVER = "harness.browser.tab"
"""The one module that knows Playwright, an optional extra."""
RECIPE = "bootstrap.nano"
"""Makes the embedded model and tries it on the worker's own engine; no part of the product."""


@cache
def modules(package: str) -> Mapping[str, Path]:
    """Every module of a package by dotted name."""
    found = {}
    for folder, folders, files in os.walk(ROOT / package):
        folders[:] = [name for name in folders if name not in {"checkpoint", "node_modules"}]
        for path in (Path(folder, name) for name in files if name.endswith(".py")):
            dotted = ".".join(path.relative_to(ROOT).with_suffix("").parts)
            found[dotted.removesuffix(".__init__")] = path
    return found


@cache
def runtime_imports(path: Path) -> frozenset[str]:
    """Dotted names a module imports when it is loaded or run, so not under `TYPE_CHECKING`."""
    found: set[str] = set()
    pending: list[ast.AST] = [ast.parse(path.read_text(encoding="utf-8"))]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING"):
            pending.extend(node.orelse)
            continue
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            found.add(node.module)
            found.update(f"{node.module}.{alias.name}" for alias in node.names)
        pending.extend(ast.iter_child_nodes(node))
    return frozenset(found)


@cache
def loaded_imports(path: Path) -> frozenset[str]:
    """Dotted names, and their tops, that a module imports when it is loaded: not in a function."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            found.add(node.module)
            found.update(f"{node.module}.{alias.name}" for alias in node.names)
    return frozenset(found | tops(found))


def tops(names: Iterable[str]) -> set[str]:
    """Top-level packages of dotted names."""
    return {name.partition(".")[0] for name in names}


@pytest.mark.parametrize("package", PACKAGES)
def test_packages_stay_strangers(package: str) -> None:
    """No package imports another of the three: they meet over HTTP and command lines."""
    others = set(PACKAGES) - {package}
    product = {name: at for name, at in modules(package).items() if not name.startswith(RECIPE)}

    offenders = {
        name: sorted(tops(runtime_imports(path)) & others)
        for name, path in product.items()
        if tops(runtime_imports(path)) & others
    }

    assert offenders == {}


def test_the_recipe_never_looks_at_the_harness() -> None:
    """The embedded model is not made with a view to how it is measured."""
    offenders = [
        name
        for name, path in modules("bootstrap").items()
        if "harness" in tops(runtime_imports(path))
    ]

    assert offenders == []


def test_the_harness_needs_only_what_a_plain_install_brings() -> None:
    """`pip install -e .` is enough, for all but the gate's arithmetic and a browser's driver."""
    allowed = set(sys.stdlib_module_names) | BASE_DEPENDENCIES | {"harness"}

    offenders = {
        name: sorted(foreign)
        for name, path in modules("harness").items()
        if (foreign := tops(runtime_imports(path)) - allowed)
        and (name, foreign) != (BROWSER_DRIVER, {"playwright"})
        and not (name.startswith(f"{GATE}.") and foreign <= GATE_DEPENDENCIES)
    }

    assert offenders == {}


def test_the_command_line_loads_nothing_that_only_the_gate_needs() -> None:
    """`muse-bench run` starts where the extra `gate` is not installed."""
    reached, pending = set(), ["harness.cli"]
    while pending:
        name = pending.pop()
        reached.add(name)
        loaded = loaded_imports(modules("harness")[name]) & modules("harness").keys()
        pending += loaded - reached

    heavy = {
        name for name in reached if loaded_imports(modules("harness")[name]) & GATE_DEPENDENCIES
    }

    assert heavy == set()


def test_playwright_is_imported_when_a_browser_is_started_and_not_before() -> None:
    """It is an extra: without it everything of the harness can be imported."""
    tree = ast.parse(modules("harness")[BROWSER_DRIVER].read_text(encoding="utf-8"))
    loaded = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]

    assert [node for node in loaded if "playwright" in ast.unparse(node)] == []


def test_bootstrap_is_standard_library_only() -> None:
    """Bootstrap runs before anything is installed; the model's recipe under it is no part of it."""
    allowed = set(sys.stdlib_module_names) | {"bootstrap"}

    offenders = {
        name: sorted(tops(runtime_imports(path)) - allowed)
        for name, path in modules("bootstrap").items()
        if not name.startswith(RECIPE) and tops(runtime_imports(path)) - allowed
    }

    assert offenders == {}


def test_the_product_never_imports_the_recipe() -> None:
    """Training code stays out of the product's import path."""
    offenders = [
        name
        for package in ("playground", "harness")
        for name, path in modules(package).items()
        if any(target.startswith("bootstrap") for target in runtime_imports(path))
    ]

    assert offenders == []


def test_only_the_worker_process_knows_a_model_runtime() -> None:
    """Torch and ExecuTorch are imported where the program is run, and nowhere else."""
    importers = {
        name
        for name, path in modules("playground").items()
        if tops(runtime_imports(path)) & MODEL_RUNTIMES
    }

    assert importers <= WORKER_PROCESS_ONLY


@pytest.mark.parametrize("package", PACKAGES)
def test_imports_have_no_cycles(package: str) -> None:
    """The import graph of each package can be held in mind: it has an order."""
    names = modules(package)
    graph = {
        name: {target for target in runtime_imports(path) if target in names and target != name}
        for name, path in names.items()
    }
    ordered: list[str] = []

    while ready := [n for n in graph if n not in ordered and graph[n] <= set(ordered)]:
        ordered += ready

    assert sorted(set(graph) - set(ordered)) == []


@pytest.mark.parametrize("package", PACKAGES)
def test_public_names_exist(package: str) -> None:
    """Every module that declares `__all__` lists names it really has."""
    wrong = {}
    for name, path in modules(package).items():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        declared = [
            ast.literal_eval(node.value)
            for node in tree.body
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
        ]
        defined = {target for node in ast.walk(tree) for target in _bound(node)}
        for public in declared:
            if not set(public) <= defined:
                wrong[name] = public

    assert wrong == {}


def _bound(node: ast.AST) -> list[str]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [node.name]
    if isinstance(node, ast.Import | ast.ImportFrom):
        return [alias.asname or alias.name for alias in node.names]
    if isinstance(node, ast.Assign):
        return [target.id for target in node.targets if isinstance(target, ast.Name)]
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return [node.target.id]
    return []
