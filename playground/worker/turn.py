"""The life of one generate request: assemble, plan, encode, prefill, decode, settle.

    assemble   the segments to rows; refuse an empty prompt and one with no room left
    plan       what of the session's cache can stay (see `prefill_plan`)
    encode     the pictures that do not stay
    prefill    the rest, chunk by chunk
    decode     round by round, until an end-of-turn token, a stop string or the token limit
    settle     the cache holds exactly prompt and completion, the end-of-turn token left out

The ticket is looked at around every picture and before every chunk and round. The session counts
as dirty from the moment its cache is touched until it is settled, so a stop string, a cancellation
or an error leaves it dirty, and the next turn starts from nothing.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from playground.vision.pixels import MAX_IMAGE_BYTES
from playground.worker.assembly import Prompt, assemble, staged
from playground.worker.engine import Limits
from playground.worker.errors import EngineError, OutputClosed, WorkerFault
from playground.worker.messages import Done, Progress, dump_reply, dump_token
from playground.worker.prefill_plan import PrefillPlan, plan_prefill
from playground.worker.process import peak_rss_bytes
from playground.worker.safe_text import SafeText
from playground.worker.sampling import sampler_for
from playground.worker.sessions import SCRATCH

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import numpy as np
    from numpy.typing import NDArray

    from playground.tokens import Tokenizer
    from playground.worker.cancellation import Ticket
    from playground.worker.engine import Engine, Session
    from playground.worker.messages import FinishReason, GenerateRequest
    from playground.worker.sessions import Resident, Sessions

__all__ = ["Model", "Turn"]


@dataclass(frozen=True, slots=True)
class Model:
    """The weights and their vocabulary. `eos_ids` end a turn; `bos_id` begins every prompt."""

    engine: Engine
    tokenizer: Tokenizer
    bos_id: int
    eos_ids: frozenset[int]
    max_image_bytes: int = MAX_IMAGE_BYTES


class Turn:
    """One request on its way; `run` takes it to its last reply."""

    def __init__(
        self,
        request: GenerateRequest,
        ticket: Ticket,
        *,
        model: Model,
        look: Callable[[], None],
        write: Callable[[bytes], None],
        clock_ns: Callable[[], int],
        read_at_ns: int,
    ) -> None:
        self._request = request
        self._ticket = ticket
        self._model = model
        self._look = look
        self._write = write
        self._clock_ns = clock_ns
        self._read_at_ns = read_at_ns
        self._started_ns = clock_ns()
        self._prefill_began_ns = self._prefill_ended_ns = self._started_ns
        self._first_text_ns: int | None = None
        self._prompt = Prompt([], [])
        self._encoded: dict[bytes, NDArray[np.float32]] = {}
        self._encoder_ns = 0
        self._plan: PrefillPlan | None = None
        self._prefilled = 0
        self._generated: list[int] = []
        self._finish: FinishReason | None = None

    def run(self, sessions: Sessions, *, warm_resume: bool) -> Done | None:
        """Serve the request; None if stdin ended, and nobody waits for a reply.

        Raises:
            RequestRefused: it cannot be served; no session was touched.
            EngineError: the model failed; the session is dirty.
        """
        if self._halted():
            return self._done(None)
        self._prompt = assemble(self._request.segments, self._model)
        resident = sessions.open(self._request.session_id)
        if warm_resume and self._request.session_id != SCRATCH:
            self._plan = plan_prefill(resident.ids, self._prompt.names, dirty=resident.dirty)
        else:
            self._plan = PrefillPlan(0, "new")
        safe = SafeText(self._request.stop)
        with _engine_call("encoding an image"):
            self._encode(self._plan.start)
        if self._halted():
            return self._done(None)

        resident.dirty = True
        with _engine_call("prefill"):
            self._prefill(resident.session, self._plan.start)
        with _engine_call("decode"):
            self._decode(resident.session, safe)
        if self._finish is None:
            return self._done(resident)
        self._say(safe.flush())
        if not safe.stopped:
            with _engine_call("settling the cache"):
                self._settle(resident)
        return self._done(resident, ids_stand_for_text=not safe.stopped)

    def _encode(self, start: int) -> None:
        """Encode each picture from row `start` on, once; no cache is touched."""
        engine = self._model.engine
        wanted = {
            placed.picture.digest: placed.picture
            for placed in self._prompt.pictures
            if placed.at >= start
        }
        for encoded, (digest, picture) in enumerate(wanted.items()):
            if self._halted():
                return
            self._report(Progress("encode", encoded, len(wanted)))
            inputs = staged(picture, engine)
            began_ns = self._clock_ns()
            self._encoded[digest] = engine.encode(inputs)
            self._encoder_ns += self._clock_ns() - began_ns

    def _prefill(self, session: Session, start: int) -> None:
        self._prefill_began_ns = self._clock_ns()
        if start == 0:
            session.rewind(0)
        chunk = self._model.engine.info.max_prefill_chunk
        total = len(self._prompt.ids) - start
        self._report(Progress("prefill", 0, total))
        for at in range(start, len(self._prompt.ids), chunk):
            if self._halted():
                break
            ids = self._prompt.ids[at : at + chunk]
            session.prefill(ids, self._prompt.soft(at, at + chunk, self._encoded))
            self._prefilled += len(ids)
            self._report(Progress("prefill", self._prefilled, total))
        self._prefill_ended_ns = self._clock_ns()

    def _decode(self, session: Session, safe: SafeText) -> None:
        """Run rounds until there is a reason to finish, or the ticket is halted."""
        sampler = sampler_for(self._request.sampling)
        limit = self._token_limit()
        generated, eos_ids = self._generated, self._model.eos_ids
        bytes_of = self._model.tokenizer.bytes_of
        while self._finish is None and not self._halted():
            text = ""
            limits = Limits(limit - len(generated), eos_ids, self._request.dflash)
            for token in session.decode(sampler, limits):
                if token in eos_ids:
                    self._finish = "stop"
                    break
                generated.append(token)
                text += safe.feed(bytes_of(token))
                if safe.stopped:
                    self._finish = "stop"
                    break
                if len(generated) == limit:
                    self._finish = "length"
                    break
            self._say(text)

    def _halted(self) -> bool:
        """Whether the turn is to end before its next step, by all that came until now."""
        self._look()
        return self._ticket.halted is not None

    def _report(self, progress: Progress) -> None:
        if self._request.progress:
            self._write(dump_reply(progress))

    def _token_limit(self) -> int:
        room = self._model.engine.info.context_length - len(self._prompt.ids)
        wanted = self._request.max_new_tokens
        return min(wanted, room) if wanted > 0 else room

    def _say(self, text: str) -> None:
        if not text:
            return
        self._write(dump_token(text))
        if self._first_text_ns is None:
            self._first_text_ns = self._clock_ns()

    def _settle(self, resident: Resident) -> None:
        ids = self._prompt.names + self._generated
        if resident.session.position > len(ids):  # the last round went on behind the end
            resident.session.rewind(len(ids))
        elif resident.session.position < len(ids):  # the last token is still pending
            resident.session.prefill(ids[resident.session.position :])
        resident.ids = ids
        resident.dirty = False

    def _done(self, resident: Resident | None, *, ids_stand_for_text: bool = False) -> Done | None:
        if self._finish is None and self._ticket.halted == "closed":
            return None
        ended_ns = self._clock_ns()
        encoder_ms = self._encoder_ns / 1e6
        first_text_ns = self._first_text_ns
        decoded = self._generated or self._finish
        prefill_ms = (self._prefill_ended_ns - self._prefill_began_ns) / 1e6
        decode_ms = (ended_ns - self._prefill_ended_ns) / 1e6 if resident else 0.0
        return Done(
            prompt_tokens=len(self._prompt.ids),
            completion_tokens=len(self._generated),
            finish_reason=self._finish or "stop",
            reused_prompt_tokens=self._plan.start if self._plan else 0,
            prefilled_prompt_tokens=self._prefilled,
            session_reset_reason=self._plan.reason if self._plan else None,
            prefill_ms=prefill_ms,
            decode_ms=decode_ms,
            total_ms=(ended_ns - self._started_ns) / 1e6 - encoder_ms,
            prefill_tok_s=_per_second(self._prefilled, prefill_ms),
            decode_tok_s=_per_second(len(self._generated), decode_ms),
            generated_token_ids=tuple(self._generated) if ids_stand_for_text else None,
            vision_encoder_ms=encoder_ms if self._encoded else None,
            cancelled=self._finish is None,
            ttft_ms=None if first_text_ns is None else (first_text_ns - self._read_at_ns) / 1e6,
            resident_tokens=resident.session.position if resident else None,
            peak_rss_bytes=peak_rss_bytes(),
            draft_counts=resident.session.statistics() if resident and decoded else None,
        )


def _per_second(tokens: int, duration_ms: float) -> float:
    return tokens / duration_ms * 1e3 if duration_ms else 0.0


@contextmanager
def _engine_call(what: str) -> Iterator[None]:
    """Whatever the runtime below raises is the engine's failure at `what`."""
    try:
        yield
    except (WorkerFault, OutputClosed):
        raise
    except Exception as error:
        raise EngineError(f"{what} failed: {error or type(error).__name__}") from error
