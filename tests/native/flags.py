"""How does gflags read a command line? The flags of `muse_glimmer_worker`, and its way with them.

    --name=value, --name value       one dash is as good as two, `-` in a name as good as `_`
    --name, --noname                 a flag that is true or false; its value is given with `=` only
    --                               ends the flags
    anything else                    is no flag, and passed over

The last of two wins. A flag that does not exist, a value that is none and a value that is missing
end the program with exit code 1, before anything else.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

TRUE, FALSE = {"1", "t", "true", "y", "yes"}, {"0", "f", "false", "n", "no"}
INT32 = range(-(2**31), 2**31)
INT64 = range(-(2**63), 2**63)


class FlagError(Exception):
    """What gflags says before it ends the program."""


@dataclass(slots=True)
class Flags:
    """Every flag, with its default."""

    model_path: str = ""
    tokenizer_path: str = ""
    data_path: str = ""
    pos_embed_path: str = ""
    max_image_bytes: int = 20 * 1024 * 1024
    max_sessions: int = 1
    warm_resume: bool = True
    bos_id: int = 200000
    eos_id: int = 200001
    artifact_mode: str = "auto"
    dflash_block_length: int = 4
    dflash_n_draft: int = 3
    dflash_draft_argmax: bool = True
    cuda_graph: bool = False


def read_flags(argv: Sequence[str]) -> Flags:
    """Flags from a command line without the program's name; raises FlagError."""
    flags = Flags()
    names = {field.name for field in fields(Flags)}
    words = list(argv)
    while words:
        word = words.pop(0)
        if word == "--":
            break
        if not word.startswith("-") or word == "-":
            continue
        told, equals, value = word.lstrip("-").partition("=")
        name = told.replace("-", "_")
        if name not in names and name.startswith("no") and not equals:
            name, equals, value = name.removeprefix("no"), "=", "false"
            if not isinstance(getattr(flags, name, None), bool):
                raise FlagError(f"ERROR: unknown command line flag '{told}'")
        if name not in names:
            raise FlagError(f"ERROR: unknown command line flag '{told}'")
        if not equals and isinstance(getattr(flags, name), bool):
            value = "true"
        elif not equals:
            if not words:
                raise FlagError(f"ERROR: flag '{word}' is missing its argument")
            value = words.pop(0)
        setattr(flags, name, _value(name, value, getattr(flags, name)))
    return flags


def _value(name: str, text: str, default: object) -> object:
    match default:
        case bool():
            if text.lower() in TRUE | FALSE:
                return text.lower() in TRUE
        case int():
            allowed = INT64 if name == "max_image_bytes" else INT32
            try:
                number = int(text, 16 if text.lower().startswith("0x") else 10)
            except ValueError:
                number = None
            if number is not None and number in allowed:
                return number
        case _:
            return text
    raise FlagError(f"ERROR: illegal value '{text}' specified for flag '{name}'")
