"""Does the patch do what README.md says?  Run on any checkout of the pinned commit.

    python patches/prove.py --checkout DIR [--include DIR]… [--keep-worker PATH]

The checkout is only read.  Exit code 0: everything held; 1: something did not; 2: used wrongly;
3: something could not be looked at, because a tool or a header is missing.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import tomllib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from patches.proof.building import ENGINE, Compiler, Program, shadow  # noqa: E402
from patches.proof.cases import CASES, Case  # noqa: E402
from patches.proof.headers import HEADERS, find_headers, places  # noqa: E402
from patches.proof.patch_file import touched_files  # noqa: E402
from patches.proof.tree import Tree, TreeFailed, lay_out  # noqa: E402
from patches.proof.verdicts import Proof  # noqa: E402
from patches.proof.worker_process import Refuted, WorkerProcess  # noqa: E402

PATCH = ROOT / "patches" / "executorch-muse-cancel.patch"
PINS = ROOT / "bootstrap" / "pins.toml"
RUNTIME = "muse-m5"

MUSE = "examples/models/muse-glimmer/runtime/runners"
SERVER = "examples/llm_server/cpp"
MEMORY = "address,undefined"
MOST_S = 1200
# The first thing that a sanitizer finds ends the process; UBSan's would go on, and exit with 0.
STRICT = dict.fromkeys(("ASAN_OPTIONS", "TSAN_OPTIONS", "UBSAN_OPTIONS"), "halt_on_error=1")

WORKER = Program(
    f"{MUSE}/muse_glimmer_worker.cpp",
    "muse_glimmer_worker",
    fake=True,
    libraries=("gflags",),
    needs=("json", "tokenizers", "gflags"),
)
PROGRAMS = (
    Program(f"{SERVER}/test_worker_prefill_plan.cpp", "test_worker_prefill_plan", MEMORY),
    Program(f"{SERVER}/test_worker_loop.cpp", "test_worker_loop", MEMORY),
    Program("test_worker_input.cpp", "test_worker_input", MEMORY),
    Program("test_worker_input.cpp", "test_worker_input_threads", "thread"),
    WORKER,
    Program(
        WORKER.source,
        "muse_glimmer_worker_memory",
        MEMORY,
        fake=True,
        libraries=WORKER.libraries,
        needs=WORKER.needs,
    ),
    Program(
        WORKER.source,
        "muse_glimmer_worker_threads",
        "thread",
        fake=True,
        libraries=WORKER.libraries,
        needs=WORKER.needs,
    ),
    Program("generic_worker.cpp", "generic_worker", MEMORY),
)
WITH_GFLAGS = ("json", "tokenizers", "gflags")
REAL = (
    Program(f"{ENGINE}/muse_glimmer_engine.cpp", needs=("json", "tokenizers", "re2")),
    Program(f"{ENGINE}/dflash_session.cpp"),
    Program(
        f"{ENGINE}/muse_glimmer_vision_runtime.cpp",
        needs=("json", "tokenizers", "stb", "stb_resize"),
    ),
    Program(f"{MUSE}/muse_glimmer_worker.cpp", needs=WITH_GFLAGS),
    Program(f"{MUSE}/dflash.cpp", needs=WITH_GFLAGS),
    Program(f"{MUSE}/solo.cpp", needs=(*WITH_GFLAGS, "re2", "stb", "stb_resize")),
)
BACKENDS = {
    "Metal": ("EXECUTORCH_BUILD_MLX", ()),
    "CUDA": ("EXECUTORCH_BUILD_CUDA", ("cuda", "cuda_crt")),
}

TESTS_OF_PROGRAMS = {
    "test_worker_prefill_plan": "upstream's test_worker_prefill_plan.cpp passes",
    "test_worker_loop": "upstream's test_worker_loop.cpp passes",
    "test_worker_input": "our test_worker_input.cpp passes, addresses and undefined behaviour",
    "test_worker_input_threads": "our test_worker_input.cpp passes, ThreadSanitizer",
}
PYTHON_NEEDS = ("pytest", "fastapi", "httpx", "pydantic")


def main(argv: list[str] | None = None) -> int:
    """Run the proof."""
    asked = _arguments(argv)
    with PINS.open("rb") as pins:
        pinned = tomllib.load(pins)["runtime"][RUNTIME]
    proof = Proof()
    with tempfile.TemporaryDirectory(prefix="muse-patch-") as folder:
        work = Path(folder)
        try:
            _prove(proof, asked, pinned, work)
        except TreeFailed as problem:
            proof.refuted("the tree and the patch fit", str(problem))
    print(f"\n{proof.summary()}", flush=True)
    return proof.exit_code


def _arguments(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument(
        "--checkout", type=Path, required=True, help="a git checkout that has the pinned commit"
    )
    parser.add_argument(
        "--include", type=Path, action="append", default=[], help="where headers are; repeatable"
    )
    parser.add_argument("--cxx", default=os.environ.get("CXX", "g++"), help="the compiler")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="compilers at once")
    parser.add_argument(
        "--keep-worker", type=Path, metavar="PATH", help="leave the worker with the fake engine"
    )
    parser.add_argument(
        "--only-worker", action="store_true", help="build what --keep-worker leaves, and stop"
    )
    asked = parser.parse_args(argv)
    if not asked.checkout.is_dir():
        parser.error(f"{asked.checkout} is no folder")
    if asked.only_worker and not asked.keep_worker:
        parser.error("--only-worker needs --keep-worker")
    return asked


def _prove(proof: Proof, asked: argparse.Namespace, pinned: dict[str, object], work: Path) -> None:
    proof.section("the tree")
    commit = str(pinned["executorch"])
    patch_sha256 = hashlib.sha256(PATCH.read_bytes()).hexdigest()
    proof.note(f"ExecuTorch {commit}")
    proof.note(f"{PATCH.name} {patch_sha256}")
    proof.note(f"{platform.platform()}, Python {platform.python_version()}")
    pinned_patch = pinned.get("patch")
    assert isinstance(pinned_patch, dict)
    wrong = "" if pinned_patch["sha256"] == patch_sha256 else "the pin has another SHA-256"
    proof.judge("the patch is the one that is pinned", wrong)
    pristine = lay_out(asked.checkout, commit, work / "pristine")
    patched = lay_out(asked.checkout, commit, work / "patched")
    _apply(proof, patched)

    found = find_headers(places(asked.include, asked.checkout))
    compiler = Compiler(asked.cxx, found)
    programs = work / "programs"
    programs.mkdir()
    shadow(programs)
    if not _tools(proof, compiler):
        return
    if asked.only_worker:
        problem = compiler.compile(WORKER, patched, programs)
        if proof.judge("the worker compiles against the fake engine", problem):
            shutil.copy2(programs / WORKER.name, asked.keep_worker)
        return
    built = _build(proof, compiler, patched, pristine, programs, asked.jobs)
    if asked.keep_worker and WORKER.name in built:
        shutil.copy2(built[WORKER.name], asked.keep_worker)
        proof.note(f"kept {asked.keep_worker}")
    _unit_tests(proof, built)
    _worker_cases(proof, built, work)
    _python(proof, patched)
    proof.section("not looked at by this proof")
    proof.note("anything on a Mac; Metal, a GPU, the model; the three runners' own main loops but")
    proof.note("the worker's; Windows; Buck.  The engine, its sessions and its vision runtime are")
    proof.note("compiled, not run: their part is played by proof/cpp/fake_engine.h.")


def _apply(proof: Proof, tree: Tree) -> None:
    before = tree.state()
    tree.apply(PATCH)
    after = tree.state()
    changed = {path for path in after if before.get(path) != after[path]}
    touched = {file.path for file in touched_files(PATCH.read_text(encoding="utf-8"))}
    proof.judge(
        f"it applies, and changes {len(touched)} files and no other",
        "" if changed == touched else f"{sorted(changed ^ touched)}",
    )
    tree.apply(PATCH, reverse=True)
    proof.judge(
        "it reverses, and leaves the tree byte for byte",
        "" if tree.state() == before else "the tree is another one",
    )
    tree.apply(PATCH)


def _tools(proof: Proof, compiler: Compiler) -> bool:
    proof.section("what it is compiled with")
    try:
        said = subprocess.run([compiler.command, "--version"], capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        proof.skipped("everything that is compiled", f"{compiler.command} does not run")
        return False
    proof.note(said.stdout.decode().splitlines()[0])
    for key, header in HEADERS.items():
        where = compiler.headers.get(key)
        proof.note(f"{header.name}: {where or f'not found ({header.package})'}")
    return True


def _build(
    proof: Proof, compiler: Compiler, patched: Tree, pristine: Tree, programs: Path, jobs: int
) -> dict[str, Path]:
    """Compile everything; the finished programs by name."""
    proof.section("compiling")
    work: list[tuple[str, Program, Tree, Path]] = []
    for backend, (define, needs) in BACKENDS.items():
        for each in REAL:
            real = Program(each.source, defines=(define,), needs=(*each.needs, *needs))
            claim = f"{Path(each.source).name} compiles for {backend}"
            work.append((claim, real, patched, programs))
    for program in PROGRAMS:
        claim = f"{program.name} is built" + (f" ({program.sanitizers})" * bool(program.sanitizers))
        work.append((claim, program, patched, programs))
    old = programs / "old"
    old.mkdir()
    shadow(old)
    work.append(("the worker without the patch is built", WORKER, pristine, old))

    def one(item: tuple[str, Program, Tree, Path]) -> str | None:
        _, program, tree, into = item
        if any(need not in compiler.headers for need in program.needs):
            return None
        return compiler.compile(program, tree, into)

    built = {}
    with ThreadPoolExecutor(jobs) as pool:
        for (claim, program, tree, into), problem in zip(work, pool.map(one, work), strict=True):
            if problem is None:
                lacking = [
                    HEADERS[need].name for need in program.needs if need not in compiler.headers
                ]
                proof.skipped(claim, f"not found: {', '.join(lacking)}")
            elif proof.judge(claim, _errors(problem)) and program.name:
                name = program.name if tree is patched else "old"
                built[name] = into / program.name
    return built


def _errors(said: str) -> str:
    """The lines of a compiler that say what is wrong."""
    wrong = [line for line in said.splitlines() if "error:" in line or "undefined" in line]
    return "\n".join(wrong[:10]) or said


def _unit_tests(proof: Proof, built: dict[str, Path]) -> None:
    proof.section("unit tests in C++")
    for name, claim in TESTS_OF_PROGRAMS.items():
        if name not in built:
            proof.skipped(claim, "it was not built")
            continue
        problem, said = _run([str(built[name])])
        proof.judge(f"{claim} ({said.count('[PASS]')} checks)", problem)


def _run(argv: list[str], **environment: str) -> tuple[str, str]:
    """A command to its end: what is wrong with it, if anything, and what it said."""
    try:
        done = subprocess.run(
            argv,
            capture_output=True,
            text=True,
            timeout=MOST_S,
            env={**os.environ, **STRICT, **environment},
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"it went on for {MOST_S} s", ""
    if done.returncode == 0:
        return "", done.stdout
    return f"exit code {done.returncode}\n{done.stdout[-1500:]}\n{done.stderr[-1500:]}", done.stdout


@dataclass(frozen=True, slots=True)
class _Start:
    """Starts one of the workers for a case."""

    argv: tuple[str, ...]
    folder: Path

    def __call__(
        self, environment: Mapping[str, str] | None = None, *, stdin: int = subprocess.PIPE
    ) -> WorkerProcess:
        return WorkerProcess(self.argv, environment={**STRICT, **(environment or {})}, stdin=stdin)


FLAGS = (
    "--model_path=none",
    "--tokenizer_path=none",
    "--max_sessions=2",
    "--bos_id=256",
    "--eos_id=257",
)


def _worker_cases(proof: Proof, built: dict[str, Path], work: Path) -> None:
    for name, title in (
        ("muse_glimmer_worker", "Muse Glimmer's worker, its real main loop over the fake engine"),
        ("muse_glimmer_worker_memory", "the same, addresses and undefined behaviour"),
        ("muse_glimmer_worker_threads", "the same, ThreadSanitizer"),
        ("generic_worker", "the shared loop (addresses and undefined behaviour)"),
    ):
        proof.section(title)
        flags = () if name == "generic_worker" else FLAGS
        for case in CASES:
            if case.muse_only and name == "generic_worker":
                continue
            if name not in built:
                proof.skipped(case.claim, "it was not built")
                continue
            proof.judge(case.claim, _try(case, _Start((str(built[name]), *flags), work)))
    proof.section("the control: without the patch the cases fail that it is for, and no other")
    for case in CASES:
        if "old" not in built:
            proof.skipped(case.claim, "it was not built")
            continue
        problem = _try(case, _Start((str(built["old"]), *FLAGS), work))
        if bool(problem) == case.new:
            proof.held(f"{'fails' if problem else 'holds'}: {case.claim}")
        else:
            proof.refuted(case.claim, problem or "it holds without the patch, so it proves nothing")


def _try(case: Case, start: _Start) -> str:
    """What is wrong, if anything."""
    try:
        case.run(start)
    except (Refuted, KeyError, OSError) as problem:
        return str(problem) or repr(problem)
    return ""


def _python(proof: Proof, tree: Tree) -> None:
    proof.section("Python")
    suite = tree.root / "examples/llm_server/python/tests"
    ours = ROOT / "patches" / "proof" / "python"
    lacking = [name for name in PYTHON_NEEDS if importlib.util.find_spec(name) is None]
    proof.note(f"with {sys.executable}")
    for claim, tests in (("upstream's suite passes", suite), ("our test_stop.py passes", ours)):
        if lacking:
            proof.skipped(claim, f"this Python has no {', '.join(lacking)}")
            continue
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
        problem, said = _run(
            [*command, f"--rootdir={tests}", "--import-mode=importlib", str(tests)],
            PYTHONPATH=str(tree.include),
            PYTHONDONTWRITEBYTECODE="1",
        )
        last = said.strip().splitlines()[-1:] or [""]
        proof.judge(f"{claim} ({last[0].strip('= ')})", problem)


if __name__ == "__main__":
    sys.exit(main())
