"""The worker's command: load one engine, say ready, serve until stdin ends.

    python -m playground.worker --model_path X.pte --tokenizer_path T.json [options]
    python -m playground.worker --script FILE.json [options]

Flags are ExecuTorch's, and may be written with dashes. What is said on the pipes is in `messages`.
Exit codes: 0 stdin ended or stdout was closed; 1 the engine could not be loaded; 2 used wrongly.
"""

from __future__ import annotations

import argparse
import gc
import os
import signal
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from playground.tokens import TokenizerError, load_tokenizer
from playground.vision.pixels import MAX_IMAGE_BYTES
from playground.worker.cancellation import Cancellations
from playground.worker.contract import ArtifactMode
from playground.worker.control import Control
from playground.worker.errors import WorkerFault
from playground.worker.inbox import Inbox, follow
from playground.worker.loop import Worker
from playground.worker.process import write_whole
from playground.worker.scripted import ScriptedEngine, load_script
from playground.worker.speculation import DraftOptions
from playground.worker.threads import MOST_THREADS
from playground.worker.turn import Model

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from playground.tokens import Tokenizer
    from playground.worker.engine import Engine

__all__ = ["load_model", "main"]

CONTROL_FD = "EXECUTORCH_LLM_WORKER_CONTROL_FD"
STDIN = 0
LAST_STEP_S = 1.0
"""How long the step that runs when stdin ends may take to finish."""

BOS_TOKEN = "<|begin_of_text|>"
EOS_TOKENS = ("<|eot|>", "<|end_of_text|>")
"""What ends a turn. Never `<|eom|>`: it ends one message of a turn that has more."""


def main(
    argv: Sequence[str],
    stdout: int,
    environ: Mapping[str, str] = os.environ,
    *,
    load: Callable[[argparse.Namespace], Model] | None = None,
    write: Callable[[int, bytes], None] = write_whole,
) -> int:
    """Serve stdin, replying on the descriptor `stdout`; returns the exit code.

    A worker that is to be another one is given another way to `load` its model (`load_model`), or
    to `write` a line of reply on a descriptor.
    """
    options = parse_options(argv)
    if not os.isatty(STDIN):  # a parent started us: a Ctrl-C is meant for it, stdin's end for us
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        model = (load or load_model)(options)
    except (WorkerFault, TokenizerError, OSError, ImportError) as error:
        print(f"cannot load: {error}", file=sys.stderr)
        return 1
    cancellations = Cancellations()
    control = _open_control(environ.get(CONTROL_FD), cancellations)
    inbox = Inbox(cancellations, clock_ns=time.perf_counter_ns)
    worker = Worker(
        model,
        inbox=inbox,
        cancellations=cancellations,
        look=control.look if control else None,
        write=lambda line: write(stdout, line),
        clock_ns=time.perf_counter_ns,
        max_sessions=options.max_sessions,
        warm_resume=options.warm_resume,
    )
    follow(STDIN, inbox.feed, lambda: _end(inbox), name="stdin")
    gc.freeze()  # what loading made stays for good; no collection need walk it during a turn
    worker.run(supports_cancel=control is not None)
    return 0


def parse_options(argv: Sequence[str]) -> argparse.Namespace:
    """Parse the flags, with dashes or underscores; ends the process with code 2 on a wrong one."""
    parser = argparse.ArgumentParser(prog="playground.worker", allow_abbrev=False)
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--model_path", type=Path, help="a .pte of the Muse method contract")
    source.add_argument("--script", type=Path, help="play this script instead of a model")
    parser.add_argument("--tokenizer_path", type=Path, help="the model's tokenizer.json")
    parser.add_argument("--max_sessions", type=_positive, default=2, help="the scratch one counts")
    parser.add_argument("--warm_resume", type=_boolean, default=True, nargs="?", const=True)
    parser.add_argument("--bos_token", default=BOS_TOKEN, help="put before every prompt")
    parser.add_argument("--threads", type=_threads, help="threads of the model's kernels")
    parser.add_argument("--pos_embed_path", type=Path, help="pos_embed.bin beside the .pte")
    parser.add_argument(
        "--max_image_bytes", type=_positive, default=MAX_IMAGE_BYTES, help="of one image's file"
    )
    parser.add_argument("--max_prefill_chunk", type=_positive, help="tokens of one prefill call")
    _add_draft_options(parser)
    options = parser.parse_args([_with_underscores(argument) for argument in argv])
    if options.model_path and not options.tokenizer_path:
        parser.error("--model_path needs --tokenizer_path")
    return options


def _add_draft_options(parser: argparse.ArgumentParser) -> None:
    """Add the flags of `DraftOptions`; 0 leaves a number to the program."""
    add = parser.add_argument
    add("--artifact_mode", choices=get_args(ArtifactMode), default="auto", help="draft or not")
    add("--dflash", type=_boolean, default=True, help="whether turns draft")
    add("--dflash_block_length", type=_count, default=0, help="pending token and proposals")
    add("--dflash_n_draft", type=_count, default=0, help="proposals of a round")
    add("--dflash_draft_argmax", type=_boolean, default=True, help="likeliest tokens, not drawn")


def load_model(options: argparse.Namespace) -> Model:
    """Load what the flags name; raise WorkerFault, TokenizerError, OSError or ImportError."""
    if options.script:
        scripted = ScriptedEngine(load_script(options.script))
        return _model(scripted, scripted.tokenizer, options)
    tokenizer = load_tokenizer(options.tokenizer_path)

    from playground.worker.program import ExecuTorchEngine  # noqa: PLC0415  (it loads torch)

    engine = ExecuTorchEngine.load(
        options.model_path,
        threads=options.threads,
        max_prefill_chunk=options.max_prefill_chunk,
        max_sessions=options.max_sessions,
        draft=DraftOptions(
            enabled=options.dflash,
            artifact_mode=options.artifact_mode,
            block_length=options.dflash_block_length,
            n_draft=options.dflash_n_draft,
            argmax=options.dflash_draft_argmax,
        ),
        positions=options.pos_embed_path,
    )
    return _model(engine, tokenizer, options)


def _model(engine: Engine, tokenizer: Tokenizer, options: argparse.Namespace) -> Model:
    eos_ids = frozenset(
        tokenizer.controls[name] for name in EOS_TOKENS if name in tokenizer.controls
    )
    if not eos_ids:
        raise TokenizerError(f"the vocabulary has none of {', '.join(EOS_TOKENS)} to end a turn")
    if tokenizer.vocab_size > engine.info.vocab_size:
        raise TokenizerError(
            f"the tokenizer has {tokenizer.vocab_size} tokens and the model "
            f"{engine.info.vocab_size}: they do not belong together"
        )
    bos_id = tokenizer.control(options.bos_token)
    return Model(engine, tokenizer, bos_id, eos_ids, options.max_image_bytes)


def _open_control(name: str | None, cancellations: Cancellations) -> Control | None:
    """Where cancellation frames come in, if the parent gave us a descriptor that is open."""
    if name is None:
        return None
    try:
        return Control.open(name, cancellations)
    except (ValueError, OSError) as error:
        print(f"{CONTROL_FD}={name!r} is no open descriptor: {error}", file=sys.stderr)
        return None


def _end(inbox: Inbox) -> None:
    """End with stdin: at the loop's next step, or, if that is stuck in a write, a moment later."""
    inbox.close()
    time.sleep(LAST_STEP_S)
    os._exit(0)


def _with_underscores(argument: str) -> str:
    if not argument.startswith("--"):
        return argument
    name, equals, value = argument[2:].partition("=")
    return f"--{name.replace('-', '_')}{equals}{value}"


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{number} is not 1 or more")
    return number


def _threads(text: str) -> int:
    number = _positive(text)
    if number > MOST_THREADS:
        raise argparse.ArgumentTypeError(f"{number} is more than {MOST_THREADS}")
    return number


def _count(text: str) -> int:
    number = int(text)
    if number < 0:
        raise argparse.ArgumentTypeError(f"{number} is not 0 or more")
    return number


def _boolean(text: str) -> bool:
    match text.lower():
        case "true" | "1" | "yes":
            return True
        case "false" | "0" | "no":
            return False
    raise argparse.ArgumentTypeError(f"{text!r} is neither true nor false")
