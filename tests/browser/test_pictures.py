"""How does a picture get from a file to the model?"""

from __future__ import annotations

import base64
import io
import re
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("playwright")

import numpy as np
from PIL import Image
from playwright.sync_api import expect

if TYPE_CHECKING:
    from pathlib import Path

    from playground.testing import ServerProcess
    from tests.browser.chat import Chat

pytestmark = pytest.mark.browser

BRING = """
([how, name, type, base64]) => {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  const files = new DataTransfer();
  files.items.add(new File([bytes], name, { type }));
  const event = { bubbles: true, cancelable: true };
  if (how === "paste") {
    const field = document.querySelector(".composer textarea");
    field.dispatchEvent(new ClipboardEvent("paste", { ...event, clipboardData: files }));
  } else {
    for (const kind of how === "drag" ? ["dragenter", "dragover"] : ["dragenter", "drop"]) {
      document.body.dispatchEvent(new DragEvent(kind, { ...event, dataTransfer: files }));
    }
  }
}
"""


def test_a_picture_by_button_paste_or_drop_is_the_same_to_the_model(
    stage: ServerProcess, chat: Chat, picture: Path
) -> None:
    """The answer is read from what the model was shown, so all three showed the same."""
    chat.open(stage.url)
    answers = set()
    for how in ("button", "paste", "drop"):
        if how == "button":
            choose(chat, picture)
        else:
            bring(chat, how, picture.name, "image/png", picture.read_bytes())
        expect(chat.button("Remove image")).to_be_visible()
        answers.add(chat.ask("What is it?"))
        chat.button("New chat").click()
        expect(chat.answers).to_have_count(0)

    (answer,) = answers
    assert re.fullmatch(r"I see [0-9a-f]{8}\.", answer)


def test_a_picture_needs_no_words_and_is_seen_above_them(
    stage: ServerProcess, chat: Chat, picture: Path
) -> None:
    """It is sent as its own file, before the text, with every turn."""
    chat.open(stage.url)
    bodies = chat.bodies()
    choose(chat, picture)
    expect(chat.page.get_by_text(re.compile("^96 . 64, "))).to_be_visible()
    chat.send.click()
    chat.is_in(1, "complete")
    shown = chat.page.get_by_role("img", name="Attached: square.png")
    expect(shown).to_be_visible()
    chat.ask("And now?")

    assert image_of(bodies[0]) == ("image/png", picture.read_bytes())
    assert image_of(bodies[1]) == ("image/png", picture.read_bytes())
    assert not any(part["type"] == "text" for part in bodies[0]["messages"][0]["content"])


@pytest.mark.parametrize(
    ("form", "sent_as"), [("PNG", "png"), ("JPEG", "jpeg"), ("WEBP", "png"), ("BMP", "png")]
)
def test_other_pictures_than_jpeg_and_png_are_converted(
    stage: ServerProcess, chat: Chat, picture: Path, form: str, sent_as: str
) -> None:
    """Those two go as they are."""
    content = as_file(Image.open(picture), form)
    chat.open(stage.url)
    bodies = chat.bodies()
    bring(chat, "drop", f"square.{form.lower()}", f"image/{form.lower()}", content)
    expect(chat.button("Remove image")).to_be_visible()
    chat.ask("What is it?")

    kind, sent = image_of(bodies[0])
    assert kind == f"image/{sent_as}"
    assert (sent == content) == (form in {"PNG", "JPEG"})
    with Image.open(io.BytesIO(sent)) as seen:
        assert seen.size == (96, 64)
        inside = np.asarray(seen.convert("RGB"), np.int16)[32, 36]
    assert np.abs(inside - (255, 0, 0)).max() < 8


def test_a_turned_photograph_is_drawn_upright(
    stage: ServerProcess, chat: Chat, picture: Path
) -> None:
    """Its EXIF is followed by the page as it is by the server."""
    exif = Image.Exif()
    exif[0x0112] = 6  # a quarter to the right
    content = as_file(Image.open(picture), "JPEG", exif=exif)
    chat.open(stage.url)

    bring(chat, "drop", "photo.jpg", "image/jpeg", content)

    expect(chat.page.get_by_text(re.compile("^64 . 96, "))).to_be_visible()


def test_a_conversation_has_one_picture_which_a_new_one_replaces(
    stage: ServerProcess, chat: Chat, picture: Path
) -> None:
    """It is said before it is done; before sending it can be replaced or removed."""
    other = as_file(Image.new("RGB", (40, 40), "blue"), "PNG")
    chat.open(stage.url)
    bodies = chat.bodies()
    choose(chat, picture)
    expect(chat.page.get_by_text("square.png")).to_be_visible()
    with chat.page.expect_file_chooser() as chooser:
        chat.button("Replace image").click()
    chooser.value.set_files([{"name": "blue.png", "mimeType": "image/png", "buffer": other}])
    expect(chat.page.get_by_text("blue.png")).to_be_visible()
    chat.button("Remove image").click()
    expect(chat.page.get_by_text("blue.png")).to_have_count(0)
    expect(chat.message).to_be_focused()
    choose(chat, picture)
    chat.ask("What is it?")

    bring(chat, "paste", "blue.png", "image/png", other)
    expect(chat.page.get_by_text("Takes the place of the earlier image")).to_be_visible()
    chat.ask("And this?")

    images = [part for part in parts_of(bodies[1]) if part["type"] == "image_url"]
    assert len(images) == 1
    assert image_of(bodies[1])[1] == other
    expect(chat.page.get_by_role("img", name="Attached: square.png")).to_have_count(0)


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("notes.txt", b"Dear diary", "not a picture that this browser can open"),
        ("broken.png", b"\x89PNG\r\n\x1a\nIHDR", "cannot be read; it may be damaged"),
        ("empty.png", b"", "This file is empty"),
    ],
    ids=["no-picture", "damaged", "empty"],
)
def test_what_cannot_be_sent_is_refused_with_the_reason(
    stage: ServerProcess, chat: Chat, name: str, content: bytes, says: str
) -> None:
    """As an alert in words; nothing is attached."""
    chat.open(stage.url)
    chat.page.get_by_label("Image file").set_input_files(
        [{"name": name, "mimeType": "image/png", "buffer": content}]
    )

    expect(chat.page.get_by_role("alert")).to_contain_text(says)
    expect(chat.button("Remove image")).to_have_count(0)


def test_a_picture_that_is_too_large_is_refused_with_the_limit(
    stage: ServerProcess, chat: Chat, picture: Path
) -> None:
    """The server's own limit, in words."""
    report = chat.page.request.get(f"{stage.url}/api/runtime").json()
    report["maxImageBytes"] = 100
    chat.page.route("**/api/runtime", lambda route: route.fulfill(json=report))
    chat.open(stage.url)

    choose(chat, picture)

    expect(chat.page.get_by_role("alert")).to_have_text(
        f"This picture has {picture.stat().st_size} B; at most 100 B can be sent."
    )


def test_a_picture_over_the_page_shows_where_it_may_be_dropped(
    stage: ServerProcess, chat: Chat, picture: Path
) -> None:
    """With the limit, before it is let go."""
    chat.open(stage.url)

    bring(chat, "drag", picture.name, "image/png", picture.read_bytes())

    expect(chat.page.get_by_text("Drop an image to attach it")).to_be_visible()
    expect(chat.page.get_by_text("One a conversation, up to 21.0 MB")).to_be_visible()


def choose(chat: Chat, picture: Path) -> None:
    """Attach a file by the button."""
    with chat.page.expect_file_chooser() as chooser:
        chat.button("Attach image").click()
    chooser.value.set_files(picture)


def bring(chat: Chat, how: str, name: str, kind: str, content: bytes) -> None:
    """Paste or drop a file, or drag it over the page."""
    chat.page.evaluate(BRING, [how, name, kind, base64.b64encode(content).decode()])


def as_file(picture: Image.Image, form: str, exif: Image.Exif | None = None) -> bytes:
    """A picture as a file of this form."""
    written = io.BytesIO()
    picture.save(written, form, **({} if exif is None else {"exif": exif}))
    return written.getvalue()


def parts_of(body: dict[str, Any]) -> list[dict[str, Any]]:
    """The parts of all messages that have parts."""
    contents = [message["content"] for message in body["messages"]]
    return [part for content in contents if isinstance(content, list) for part in content]


def image_of(body: dict[str, Any]) -> tuple[str, bytes]:
    """What kind of picture a request holds, and its bytes."""
    (image,) = [part for part in parts_of(body) if part["type"] == "image_url"]
    kind, _, encoded = image["image_url"]["url"].partition(";base64,")
    return kind.removeprefix("data:"), base64.b64decode(encoded)
