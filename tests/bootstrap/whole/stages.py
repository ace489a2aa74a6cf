"""The stages of Muse Glimmer, in the order in which they are made."""

from __future__ import annotations

__all__ = ["STAGES", "WORKS"]

WORKS = {
    "server": ("server-venv", "server-install", "server-link"),
    "uv": ("uv", "python"),
    "muse-m5": ("environment", "source", "patch", "build", "native-probe"),
    "muse-glimmer": (
        "model-LICENSE",
        "model-tokenizer.json",
        "model-chat_template.jinja",
        "model-script.pte",
        "model-manifest",
    ),
    "page": ("page",),
    "profile": ("profile", "launcher"),
}
"""Each work, and its stages."""
STAGES = tuple(stage for stages in WORKS.values() for stage in stages)
