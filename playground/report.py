"""What does the server say of itself?

`/v1/models` in OpenAI's shape, and `/api/runtime`, whose keys are camelCase and always all there;
null where something is not known or does not apply.
"""

from __future__ import annotations

import functools
import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from playground.images import NO_IMAGES
from playground.worker.process import peak_rss_bytes

if TYPE_CHECKING:
    from playground.images import ImageLimits
    from playground.runtime import SessionRuntime
    from playground.served import ServedModel
    from playground.worker.messages import Ready

__all__ = ["list_models", "report_runtime"]

OWNER = "executorch"
NO_DEFAULTS: dict[str, Any] = {}


def list_models(model_id: str, *, created: int) -> dict[str, Any]:
    """The one model; `created` is Unix time in seconds."""
    model = {"id": model_id, "object": "model", "created": created, "owned_by": OWNER}
    return {"object": "list", "data": [model]}


def report_runtime(
    model: ServedModel,
    ready: Ready,
    runtime: SessionRuntime,
    context_length: int,
    images: ImageLimits = NO_IMAGES,
) -> dict[str, Any]:
    """What runs here, in which state, with how much memory at its peak."""
    worker = ready.worker
    versions = worker.versions if worker else {}
    defaults = model.defaults or NO_DEFAULTS
    return {
        "state": "failed" if runtime.failure else "ready",
        "reason": runtime.failure,
        "model": model.name,
        "modelId": model.model_id,
        "backend": worker.backend if worker else None,
        "artifact": model.artifact.name if model.artifact else None,
        "artifactSha256": worker.artifact_sha256 if worker else None,
        "device": _device(),
        "contextLength": context_length,
        "maxImages": images.images or None,
        "maxImageBytes": images.bytes if images.images else None,
        "maxImageCells": images.cells if images.images else None,
        "modelBytes": model.artifact.stat().st_size if model.artifact else None,
        "loadTimeMs": worker.load_ms if worker else None,
        "executorchVersion": versions.get("executorch"),
        "torchVersion": versions.get("torch"),
        "pythonVersion": platform.python_version(),
        "workerPythonVersion": versions.get("python"),
        "threads": worker.threads if worker else None,
        "maxSessions": ready.max_sessions,
        "maxNamedSessions": ready.max_named_sessions,
        "threadsReason": worker.threads_reason if worker else None,
        "dflashBlockLength": worker.dflash_block_length if worker else None,
        "dflashDraftTokens": worker.dflash_draft_tokens if worker else None,
        "dflashEnabled": bool(worker and worker.dflash_draft_tokens),
        "supports": {
            "vision": images.images > 0,
            "warmResume": ready.max_named_sessions > 0,
            "cancel": ready.supports_cancel or ready.cancel_op,
            "reuseMetrics": True,
            "durableCache": False,
            "dflash": bool(worker and worker.dflash_block_length),
        },
        "defaults": {
            "temperature": defaults.get("temperature", 0.0),
            "topP": defaults.get("top_p", 1.0),
            "topK": defaults.get("top_k", 0),
            "maxTokens": context_length,
            "reasoningStrength": model.reasoning_strength,
        },
        "memory": {
            "serverPeakBytes": peak_rss_bytes(),
            "workerPeakBytes": runtime.worker_peak_bytes,
        },
        "pids": {"server": os.getpid(), "worker": worker.pid if worker else None},
        "version": _version(),
    }


@functools.cache
def _device() -> str:
    """The processor's name, as far as the system tells it."""
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            key, _, value = line.partition(":")
            if key.strip() == "model name":
                return value.strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def _version() -> str | None:
    try:
        return version("muse-bench")
    except PackageNotFoundError:  # run from a checkout that was never installed
        return None
