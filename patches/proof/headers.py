"""Where are the headers that are not in ExecuTorch's own tree?

They are submodules of the commit, or packages of the system, or come with the wheel
`pytorch_tokenizers`; whichever is found first, in the order of `places`.
"""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["HEADERS", "Header", "find_headers", "places"]


@dataclass(frozen=True, slots=True)
class Header:
    """One header that stands for a library."""

    name: str
    package: str
    """What has it, for a person who has not."""
    below: tuple[str, ...] = ("",)
    """Folders below a place where it may be."""


HEADERS = {
    "json": Header("nlohmann/json.hpp", "nlohmann-json3-dev, or ExecuTorch's submodules"),
    "tokenizers": Header("pytorch/tokenizers/tokenizer.h", "pip install pytorch_tokenizers"),
    "gflags": Header("gflags/gflags.h", "libgflags-dev"),
    "stb": Header("stb_image.h", "libstb-dev", ("", "stb")),
    "stb_resize": Header(
        "stb_image_resize.h", "libstb-dev", ("", "deprecated", "stb", "stb/deprecated")
    ),
    "re2": Header("re2/re2.h", "libre2-dev"),
    "cuda": Header("cuda_runtime.h", "the wheel nvidia-cuda-runtime-cu12, unpacked"),
    "cuda_crt": Header("crt/host_config.h", "the wheel nvidia-cuda-nvcc-cu12, unpacked"),
}

OF_THE_CHECKOUT = (
    "extension/llm/tokenizers/include",
    "extension/llm/tokenizers/third-party/json/single_include",
    "third-party/json/single_include",
    "third-party/stb",
)
OF_THE_SYSTEM = ("/usr/include", "/usr/local/include", "/opt/homebrew/include")


def places(asked: Iterable[Path], checkout: Path) -> tuple[Path, ...]:
    """Where to look: where we were told to, the checkout, this Python's wheels, the system."""
    wheel = importlib.util.find_spec("pytorch_tokenizers")
    wheels = [Path(at) / "include" for at in (wheel and wheel.submodule_search_locations) or ()]
    return (
        *asked,
        *(checkout / below for below in OF_THE_CHECKOUT),
        *wheels,
        *map(Path, OF_THE_SYSTEM),
    )


def find_headers(where: Iterable[Path]) -> Mapping[str, Path]:
    """The folder to include for each header that is there, by the keys of HEADERS."""
    where = tuple(where)
    found = {}
    for key, header in HEADERS.items():
        folders = (place / below for place in where for below in header.below)
        folder = next((each for each in folders if (each / header.name).is_file()), None)
        if folder is not None:
            found[key] = folder
    return found
