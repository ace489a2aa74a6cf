"""llama.cpp as a peer: from its source package to llama-server and our weights in Q8_0.

The source is what `llama-cpp-python` vendors, because that is a package with a version. It is
built for this machine (Release, native); checkpoints go through its own converter and quantiser.
"""

from __future__ import annotations

import os
import sys
import tarfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tests.benchmarks.peers.workplace import PreparationFailed, digest

if TYPE_CHECKING:
    from tests.benchmarks.peers.weights import Weights
    from tests.benchmarks.peers.workplace import Workplace

__all__ = ["RELEASE", "LlamaCpp", "prepare", "server_argv"]

RELEASE = "llama_cpp_python-0.3.36"
BUILDING = ("cmake>=3.28", "ninja>=1.11")
CONVERTING = ("torch==2.13.0", "transformers==5.24.*", "sentencepiece", "safetensors", "numpy")
OPTIONS = (
    "-DCMAKE_BUILD_TYPE=Release",
    "-DGGML_NATIVE=ON",
    "-DBUILD_SHARED_LIBS=OFF",
    "-DLLAMA_OPENSSL=OFF",
    "-DLLAMA_BUILD_TESTS=OFF",
    "-DLLAMA_BUILD_EXAMPLES=OFF",
)
CONTEXT = 2048
JOBS = 2


@dataclass(frozen=True, slots=True)
class LlamaCpp:
    """What was built and converted."""

    server: Path
    model: Path
    """Our model, Q8_0."""
    draft: Path | None
    """Our draft, Q8_0; None where there is none."""


def prepare(place: Workplace, weights: Weights, draft: Path | None) -> LlamaCpp:
    """Fetch, build, convert and quantise, as far as that has not been done."""
    source = _fetch(place)
    built = _build(place, source)
    model = _quantised(place, source, built, weights.folder, f"muse-nano-{weights.key}", [])
    proposer = None
    if draft is not None:
        key = digest([*draft.glob("*.safetensors"), draft / "config.json"])
        name, target = f"muse-nano-draft-{key}-{weights.key}", str(weights.folder)
        proposer = _quantised(place, source, built, draft, name, ["--target-model-dir", target])
    return LlamaCpp(built / "bin" / "llama-server", model, proposer)


def server_argv(made: LlamaCpp, port: int, threads: int, *, drafting: bool) -> list[str]:
    """The command of one server: its defaults, but one slot, our context, and no web page."""
    argv = [str(made.server), "--model", str(made.model), "--host", "127.0.0.1"]
    argv += ["--port", str(port), "--ctx-size", str(CONTEXT), "--parallel", "1", "--no-ui"]
    argv += ["--threads", str(threads), "--threads-batch", str(threads)]
    if drafting:
        argv += ["--spec-draft-model", str(made.draft), "--spec-type", "draft-dflash"]
        argv += ["--spec-draft-n-max", "3", "--spec-draft-threads", str(threads)]
        argv += ["--spec-draft-threads-batch", str(threads)]
    return argv


def _fetch(place: Workplace) -> Path:
    """The source tree of llama.cpp inside the unpacked package."""

    def download(folder: Path) -> None:
        folder.mkdir()
        name = RELEASE.replace("-", "==")
        pip = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", ":all:"]
        place.run("llama.cpp-fetch", [*pip, "--dest", str(folder), name])

    def unpack(folder: Path) -> None:
        with tarfile.open(archive / f"{RELEASE}.tar.gz") as packed:
            packed.extractall(folder, filter="data")

    archive = place.step("llama.cpp: download", place.root / "llama.cpp-package", download)
    tree = place.step("llama.cpp: unpack", place.root / "llama.cpp-source", unpack)
    return tree / RELEASE / "vendor" / "llama.cpp"


def _build(place: Workplace, source: Path) -> Path:
    """The folder with `bin/llama-server` and `bin/llama-quantize`.

    The folder of a build cannot be moved and may go on where it was broken off, so the programs
    themselves say that it is done.
    """
    folder = place.root / "llama.cpp-build"
    programs = ("llama-server", "llama-quantize")
    if all((folder / "bin" / name).exists() for name in programs):
        return folder
    tools = place.environment("llama.cpp-tools", BUILDING).parent
    place.say(f"llama.cpp: build (minutes; {folder})")
    cmake, ninja = str(tools / "cmake"), f"-DCMAKE_MAKE_PROGRAM={tools / 'ninja'}"
    where = ["-S", str(source), "-B", str(folder)]
    place.run("llama.cpp-build", [cmake, "-G", "Ninja", ninja, *where, *OPTIONS])
    jobs = str(min(JOBS, os.cpu_count() or 1))
    build = [cmake, "--build", str(folder), "--parallel", jobs, "--target", *programs]
    place.run("llama.cpp-build", build)
    return folder


def _quantised(
    place: Workplace, source: Path, built: Path, checkpoint: Path, name: str, extra: list[str]
) -> Path:
    """A checkpoint as GGUF in Q8_0."""
    converter = Path(__file__).with_name("convert_to_gguf.py")

    def convert(path: Path) -> None:
        python = place.environment("llama.cpp-converter", CONVERTING)
        argv = [str(python), str(converter), str(source), str(checkpoint), *extra]
        place.run(name, [*argv, "--outtype", "f32", "--outfile", str(path)])
        if not path.exists():
            raise PreparationFailed(f"the converter ended well, but left no {path}")

    def quantise(path: Path) -> None:
        argv = [str(built / "bin" / "llama-quantize"), str(exact), str(path), "Q8_0"]
        place.run(name, argv)

    exact = place.step(f"{name}: convert", place.root / f"{name}-f32.gguf", convert)
    return place.step(f"{name}: quantise", place.root / f"{name}-q8_0.gguf", quantise)
