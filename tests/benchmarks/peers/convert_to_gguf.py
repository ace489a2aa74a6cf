"""Runs llama.cpp's converter on a vocabulary that it has never seen; in an environment of its own.

    python convert_to_gguf.py SOURCE CHECKPOINT [the converter's own flags]

The converter takes the name of a pre-tokenizer from a hash of what a vocabulary makes of a text,
and refuses hashes it does not know. Ours splits text by Qwen2's pattern, so that is its name.
"""

from __future__ import annotations

import importlib
import runpy
import sys
from pathlib import Path

PRE_TOKENIZER = "qwen2"


def main(source: Path, arguments: list[str]) -> None:
    """Answer one question for the converter, and let it run as a command."""
    script = source / "convert_hf_to_gguf.py"
    sys.path[:0] = [str(source), str(source / "gguf-py")]
    base = importlib.import_module("conversion.base")

    base.TextModel.get_vocab_base_pre = lambda _model, _tokenizer: PRE_TOKENIZER
    sys.argv = [str(script), *arguments]
    runpy.run_path(str(script), run_name="__main__")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
