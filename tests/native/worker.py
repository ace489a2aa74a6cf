"""ExecuTorch's native worker, played: its command line and its dialect on an engine of ours.

    python -m tests.native.worker --model_path=M --tokenizer_path=T [flags of muse_glimmer_worker]

M is a script of `playground.worker.scripted` (JSON), with one token a byte, or a program for
ExecuTorch, with the vocabulary of T. It is no part of the product: where there is no Mac to build
the native worker on, this is what the server is held against.
Exit codes: 0 stdin has ended; 1 a flag is wrong, or nothing was loaded.
"""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from playground.worker.errors import OutputClosed
from playground.worker.process import claim_stdout, write_whole
from tests.native.flags import FlagError, read_flags
from tests.native.hearing import Hearing, start_listening
from tests.native.loop import NativeLoop
from tests.native.session import Loaded

if TYPE_CHECKING:
    from collections.abc import Sequence

    from playground.tokens import Tokenizer
    from playground.worker.engine import Engine
    from tests.native.flags import Flags

STDIN = 0
ENDS = ("<|eot|>", "<|end_of_text|>")
MODES = ("auto", "autoregressive", "dflash")


class NotLoaded(Exception):
    """Why there is nothing to serve."""


def main(argv: Sequence[str], stdout: int) -> int:
    """Serve stdin, replying on the descriptor `stdout`; the exit code."""
    try:
        flags = read_flags(argv)
        loaded = load(flags)
    except (FlagError, NotLoaded) as problem:
        print(problem, file=sys.stderr)
        return 1
    hearing = Hearing()
    start_listening(hearing, STDIN)
    loop = NativeLoop(
        loaded,
        hearing,
        lambda line: write_whole(stdout, line),
        bos_id=flags.bos_id,
        warm_resume=flags.warm_resume,
        max_image_bytes=flags.max_image_bytes,
    )
    with contextlib.suppress(OutputClosed):
        loop.run()
    return 0


def load(flags: Flags) -> Loaded:
    """What the flags name; raises NotLoaded."""
    if not flags.model_path or not flags.tokenizer_path:
        raise NotLoaded("muse_glimmer_worker: --model_path and --tokenizer_path required")
    if flags.artifact_mode not in MODES:
        raise NotLoaded(f"muse_glimmer_worker: invalid --artifact_mode={flags.artifact_mode}")
    if flags.max_image_bytes <= 0:
        raise NotLoaded("muse_glimmer_worker: --max_image_bytes must be positive")
    try:
        engine, tokenizer = _engine(flags)
    except Exception as error:
        raise NotLoaded(f"muse_glimmer_worker: failed to create engine: {error}") from error
    _check_drafting(flags, engine)
    named = (tokenizer.controls[name] for name in ENDS if name in tokenizer.controls)
    eos_ids = frozenset({flags.eos_id, *named})
    return Loaded(engine, tokenizer, eos_ids, tokenizer.control("<|patch|>"), flags.max_sessions)


def _engine(flags: Flags) -> tuple[Engine, Tokenizer]:
    path = Path(flags.model_path)
    with path.open("rb") as file:
        scripted = file.read(1) == b"{"
    if scripted:
        from playground.worker.scripted import ScriptedEngine, load_script  # noqa: PLC0415

        engine = ScriptedEngine(load_script(path))
        return engine, engine.tokenizer
    from playground.tokens import load_tokenizer  # noqa: PLC0415
    from playground.worker.program import ExecuTorchEngine  # noqa: PLC0415
    from playground.worker.speculation import DraftOptions  # noqa: PLC0415

    program = ExecuTorchEngine.load(
        path,
        threads=1,
        max_sessions=flags.max_sessions,
        draft=DraftOptions(argmax=flags.dflash_draft_argmax),
        positions=Path(flags.pos_embed_path) if flags.pos_embed_path else None,
    )
    return program, load_tokenizer(flags.tokenizer_path)


def _check_drafting(flags: Flags, engine: Engine) -> None:
    """A program is loaded in the mode whose methods it has, and in no other."""
    block = engine.info.dflash_block_length
    detected = "dflash" if block else "autoregressive"
    if flags.artifact_mode not in {"auto", detected}:
        raise NotLoaded(
            f"Requested Muse Glimmer artifact mode {flags.artifact_mode} does not match detected"
            f" mode {detected}"
        )
    wanted = flags.dflash_block_length
    if block and wanted and not 2 <= wanted <= block:
        raise NotLoaded(f"DFlash block length must be in [2, {block}]")
    if block and flags.dflash_n_draft >= (wanted or block):
        raise NotLoaded("DFlash n_draft must be in [1, block_length - 1]")


if __name__ == "__main__":
    code = main(sys.argv[1:], claim_stdout())
    sys.stderr.flush()
    os._exit(code)  # its thread reads on
