"""mlx-lm as a peer: MLX's CPU backend on Linux, our text model in 8 bits.

Eight bits in groups of 64 are what `mlx_lm convert -q --q-bits 8` makes unless told otherwise.
Its model reads the text tower alone, so the other tensors are left out before.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from tests.benchmarks.peers.weights import Weights
    from tests.benchmarks.peers.workplace import Workplace

__all__ = ["PACKAGES", "Mlx", "prepare", "server_argv"]

PACKAGES = ("mlx-lm==0.32.*", "mlx[cpu]==0.32.*", "safetensors")

TEXT_ONLY = """
import sys
from pathlib import Path
import mlx.core as mx

source, folder = Path(sys.argv[1]), Path(sys.argv[2])
folder.mkdir()
weights = {}
for shard in sorted(source.glob("*.safetensors")):
    weights.update(mx.load(str(shard)))
text = {k: v for k, v in weights.items() if k.startswith(("model.language_model.", "lm_head."))}
mx.save_safetensors(str(folder / "model.safetensors"), text, {"format": "pt"})
for path in source.iterdir():
    if path.suffix in {".json", ".jinja"} and "index" not in path.name:
        (folder / path.name).write_bytes(path.read_bytes())
"""


@dataclass(frozen=True, slots=True)
class Mlx:
    """What was installed and converted."""

    python: Path
    model: Path


def prepare(place: Workplace, weights: Weights) -> Mlx:
    """Install and convert, as far as that has not been done."""
    python = place.environment("mlx", PACKAGES)

    def cut(folder: Path) -> None:
        place.run("mlx", [str(python), "-c", TEXT_ONLY, str(weights.folder), str(folder)])

    def convert(folder: Path) -> None:
        argv = [str(python), "-m", "mlx_lm", "convert", "-q", "--q-bits", "8"]
        place.run("mlx", [*argv, "--hf-path", str(text), "--mlx-path", str(folder)])

    name = f"mlx-{weights.key}"
    text = place.step("mlx: text tower", place.root / f"{name}-text", cut)
    return Mlx(python, place.step("mlx: quantise", place.root / f"{name}-8bit", convert))


def server_argv(made: Mlx, port: int) -> list[str]:
    """The command of the server: its defaults."""
    argv = [str(made.python), "-m", "mlx_lm", "server", "--model", str(made.model)]
    return [*argv, "--host", "127.0.0.1", "--port", str(port)]
