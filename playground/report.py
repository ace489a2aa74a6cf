"""What does the server say of itself?

`/v1/models` in OpenAI's shape, and `/api/runtime`, whose keys are camelCase and always all there;
null where something is not known or does not apply.

A worker of ours says what it is and what it loaded, and has the word. Of ExecuTorch's own, which
says nothing, the server tells what it knows itself: its process and how long that took to get
ready, what the model folder says of the program, and of drafting what the command line decides.
"""

from __future__ import annotations

import functools
import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from playground.images import NO_IMAGES
from playground.worker.dialects import Drafting
from playground.worker.process import peak_rss_bytes
from playground.worker.resident import peak_bytes

if TYPE_CHECKING:
    from playground.images import ImageLimits
    from playground.runtime import SessionRuntime
    from playground.served import ServedModel
    from playground.worker.client import WorkerClient
    from playground.worker.messages import WorkerInfo

__all__ = ["list_models", "report_runtime"]

OWNER = "executorch"
NO_DEFAULTS: dict[str, Any] = {}


def list_models(model_id: str, *, created: int) -> dict[str, Any]:
    """The one model; `created` is Unix time in seconds."""
    model = {"id": model_id, "object": "model", "created": created, "owned_by": OWNER}
    return {"object": "list", "data": [model]}


def report_runtime(
    model: ServedModel,
    client: WorkerClient,
    runtime: SessionRuntime,
    context_length: int,
    images: ImageLimits = NO_IMAGES,
) -> dict[str, Any]:
    """What runs here, in which state, with how much memory at its peak."""
    ready, dialect = client.ready, client.dialect
    worker = ready.worker
    versions = worker.versions if worker else {}
    drafting = _drafting(worker, client)
    defaults = model.defaults or NO_DEFAULTS
    return {
        "state": "failed" if runtime.failure else "ready",
        "reason": runtime.failure,
        "model": model.name,
        "modelId": model.model_id,
        "backend": worker.backend if worker else model.backend,
        "artifact": model.artifact.name if model.artifact else None,
        "artifactSha256": worker.artifact_sha256 if worker else model.artifact_sha256,
        "device": _device(),
        "contextLength": context_length,
        "maxImages": images.images or None,
        "maxImageBytes": images.bytes if images.images else None,
        "maxImageCells": images.cells if images.images else None,
        "modelBytes": model.artifact_bytes,
        "loadTimeMs": worker.load_ms if worker else client.load_ms,
        "executorchVersion": versions.get("executorch"),
        "torchVersion": versions.get("torch"),
        "pythonVersion": platform.python_version(),
        "workerPythonVersion": versions.get("python"),
        "workerKind": dialect.kind,
        "threads": worker.threads if worker else None,
        "maxSessions": ready.max_sessions,
        "maxNamedSessions": ready.max_named_sessions,
        "threadsReason": worker.threads_reason if worker else None,
        "dflashBlockLength": drafting.block_length if drafting else None,
        "dflashDraftTokens": drafting.draft_tokens if drafting else None,
        "dflashEnabled": bool(drafting and drafting.draft_tokens),
        "supports": {
            "vision": images.images > 0,
            "warmResume": ready.max_named_sessions > 0,
            "warmImages": images.images > 0
            and ready.max_named_sessions > 0
            and dialect.warm_pictures,
            "cancel": ready.supports_cancel or ready.cancel_op,
            "reuseMetrics": True,
            "durableCache": False,
            "dflash": bool(drafting) and dialect.plain_turns,
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
            "workerPeakBytes": runtime.worker_peak_bytes
            or (peak_bytes(client.pid) if client.alive else None),
        },
        "pids": {"server": os.getpid(), "worker": worker.pid if worker else client.pid},
        "version": _version(),
    }


def _drafting(worker: WorkerInfo | None, client: WorkerClient) -> Drafting | None:
    """How the worker drafts; None where it has no draft, or nobody knows."""
    if worker is None:
        return client.dialect.drafting(client.argv)
    if worker.dflash_block_length is None:
        return None
    return Drafting(worker.dflash_block_length, worker.dflash_draft_tokens or 0)


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
