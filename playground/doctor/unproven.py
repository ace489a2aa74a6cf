"""What of this project has not been run on a Mac yet, said in one place.

`muse-playground doctor` prints it on a Mac, and README has the same lines; a test holds them
together. A line goes when somebody has run that part and sent what it printed.
"""

from __future__ import annotations

__all__ = ["NOT_RUN_ON_A_MAC"]

NOT_RUN_ON_A_MAC = (
    "the setup of profile `muse` against a real Xcode, its Metal compiler, and the model's 21 GB",
    "the native build: CMake's presets for MLX and Metal with the patched ExecuTorch",
    "ExecuTorch's native worker on Metal behind this server, and every figure of Muse Glimmer",
    "`patches/executorch-muse-cancel.patch` with the real engine on Metal",
    "the launcher's macOS side: `caffeinate`, `open`, `lsof`, `ps`, and `Muse Glimmer.command`",
    "the doctor's questions to macOS: `sysctl`, `sw_vers`, `pmset`",
    "a gate on an M-series machine (`muse-m5`), and the workflow that asks for one",
)
