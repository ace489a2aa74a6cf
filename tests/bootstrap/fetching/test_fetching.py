"""Does a file get here whole and right, whatever the server, the network and the disk do?"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import socket
import threading
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from bootstrap.fetching.fetching import Fetched, FetchFailed, Wanted, World, fetch
from bootstrap.fetching.partial import part_of
from bootstrap.fetching.web import Web
from tests.bootstrap.fileserver import FileServer, Published, Reply, serving

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

DATA = bytes(range(256)) * 512
HASH = hashlib.sha256(DATA).hexdigest()
NAME = "Mein Modell é.pte"


class Here:
    """A place to fetch to, and a world in which pauses take no time."""

    def __init__(self, server: FileServer, folder: Path) -> None:
        self.server = server
        self.target = folder / "a folder ü" / NAME
        self.told: list[str] = []
        self.paused: list[float] = []
        self.free = 10**12
        self.world = World(
            self.told.append,
            web=Web(silence_s=5.0, proxies={}),
            pause=self.paused.append,
            clock=lambda: 0.0,
            free_bytes=lambda _: self.free,
        )
        self.wanted = Wanted(f"{server.url}/m.pte", self.target, len(DATA), HASH)
        server.files["/m.pte"] = Published(DATA)

    def fetch(self, *, silence_s: float = 5.0, **changes: object) -> Fetched:
        """The file, of a pin with these changes."""
        world = replace(self.world, web=replace(self.world.web, silence_s=silence_s))
        return fetch(replace(self.wanted, **changes), world)  # type: ignore[arg-type]

    def cut_after(self, count: int, **changes: object) -> None:
        """Leave a part of so many bytes, as a run that was ended there does."""
        self.server.replies.append(Reply(after=count))
        world = replace(self.world, pause=_stop)
        with pytest.raises(KeyboardInterrupt):
            fetch(replace(self.wanted, **changes), world)  # type: ignore[arg-type]
        assert part_of(self.target).stat().st_size == count

    @property
    def starts(self) -> list[int]:
        """From which byte on each request asked."""
        return [asked.start for asked in self.server.asked]

    @property
    def left(self) -> list[str]:
        """The names in the target's folder."""
        return sorted(path.name for path in self.target.parent.iterdir())


def _stop(_: float) -> None:
    raise KeyboardInterrupt


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Here]:
    """A server with one file."""
    with serving() as server:
        yield Here(server, tmp_path)


def test_a_file_is_fetched_whole(here: Here) -> None:
    """With its hash; nothing but it is left."""
    found = here.fetch()

    assert found == Fetched(here.target, len(DATA), HASH, len(DATA))
    assert here.target.read_bytes() == DATA
    assert here.left == [NAME]


def test_one_that_is_here_needs_no_server(here: Here) -> None:
    """It is looked at, and not fetched."""
    here.fetch()

    assert here.fetch().received == 0
    assert len(here.server.asked) == 1


def test_a_part_is_gone_on_with(here: Here) -> None:
    """Only the rest is sent, of the same version."""
    here.cut_after(50_000)

    found = here.fetch()

    assert here.target.read_bytes() == DATA
    assert (found.sha256, found.received) == (HASH, len(DATA) - 50_000)
    assert (here.starts, here.server.asked[1].if_range) == ([0, 50_000], '"one"')
    assert here.server.asked[1].sent == len(DATA) - 50_000
    assert here.left == [NAME]


def test_an_answer_that_is_cut_off_is_gone_on_with(here: Here) -> None:
    """As often as it brings more; each time it says so."""
    here.server.replies += [Reply(after=10_000) for _ in range(9)]

    here.fetch()

    assert here.target.read_bytes() == DATA
    assert here.starts == [10_000 * number for number in range(10)]
    assert here.paused == [1.0] * 9
    assert "the answer was cut off at 10.0 kB of 131 kB; once more in 1 s" in here.told[0]


def test_one_without_a_length_is_known_to_be_cut_by_its_chunks(here: Here) -> None:
    """Though nobody says how long it is."""
    here.server.replies += [Reply(chunked=True, after=10_000), Reply(chunked=True)]

    found = here.fetch(bytes=None, sha256=None)

    assert (found.sha256, here.starts) == (HASH, [0, 10_000])


def test_an_answer_that_nobody_knows_the_end_of_is_refused(here: Here) -> None:
    """It could not be told from one that was cut off."""
    here.server.replies.append(Reply(length=False))

    with pytest.raises(FetchFailed, match="nobody says how long it is"):
        here.fetch(bytes=None)


def test_a_server_without_ranges_sends_it_all_again(here: Here) -> None:
    """What was there is thrown away, not put before it."""
    here.cut_after(50_000)
    here.server.replies.append(Reply(ranges=False))

    found = here.fetch()

    assert (here.target.read_bytes(), found.received) == (DATA, len(DATA))


@pytest.mark.parametrize("if_range", [True, False])
def test_another_version_begins_anew(here: Here, *, if_range: bool) -> None:
    """Whether the server sees that itself, or we by its ETag."""
    here.cut_after(50_000, sha256=None)
    other = bytes(reversed(DATA))
    here.server.files["/m.pte"] = Published(other, etag='"two"')
    here.server.replies.append(Reply(if_range=if_range))

    found = here.fetch(sha256=None)

    assert here.target.read_bytes() == other
    assert found.sha256 == hashlib.sha256(other).hexdigest()


def test_a_part_that_cannot_be_proved_to_be_of_it_is_thrown_away(here: Here) -> None:
    """No hash is known, and the server does not tell one version from the next."""
    here.server.files["/m.pte"] = Published(DATA, etag='W/"weak"')
    here.cut_after(50_000, sha256=None)

    here.fetch(sha256=None)

    assert here.starts == [0, 0]


def test_a_date_tells_versions_apart_where_there_is_no_etag(here: Here) -> None:
    """As it stands in Last-Modified."""
    date = "Wed, 21 Oct 2026 07:28:00 GMT"
    here.server.files["/m.pte"] = Published(DATA, etag="", modified=date)
    here.cut_after(50_000)

    here.fetch()

    assert (here.starts, here.server.asked[1].if_range) == ([0, 50_000], date)


def test_the_same_file_may_come_from_another_place(here: Here) -> None:
    """Where its hash is pinned: a mirror goes on with what the publisher began."""
    here.cut_after(50_000)
    here.server.files["/mirror"] = Published(DATA, etag='"theirs"')

    found = here.fetch(url=f"{here.server.url}/mirror")

    assert (found.sha256, here.starts) == (HASH, [0, 50_000])
    assert here.server.asked[1].if_range == ""


def test_a_part_of_another_pin_is_thrown_away(here: Here) -> None:
    """It is of another file, whatever the address is."""
    here.cut_after(50_000, sha256="0" * 64)

    here.fetch()

    assert here.starts == [0, 0]


@pytest.mark.parametrize("notes", [None, "{", "[]", '{"url": 1}'])
def test_a_part_without_its_notes_is_thrown_away(here: Here, notes: str | None) -> None:
    """Nobody knows what it is of."""
    here.cut_after(50_000)
    beside = here.target.with_name(f"{NAME}.part.json")
    beside.unlink()
    if notes is not None:
        beside.write_text(notes)

    here.fetch()

    assert (here.starts, here.left) == ([0, 0], [NAME])


def test_a_whole_part_needs_no_server(here: Here) -> None:
    """The process was ended between its last byte and its name."""
    here.cut_after(50_000)
    with part_of(here.target).open("ab") as part:
        part.write(DATA[50_000:])

    found = here.fetch()

    assert (found.sha256, found.received, here.starts) == (HASH, 0, [0])
    assert here.target.read_bytes() == DATA


def test_a_part_that_is_longer_than_the_file_begins_anew(here: Here) -> None:
    """Also where only the server knows how long that is, and answers 416."""
    here.cut_after(50_000, bytes=None)
    with part_of(here.target).open("ab") as part:
        part.write(DATA)
    notes = here.target.with_name(f"{NAME}.part.json")
    notes.write_text(json.dumps({**json.loads(notes.read_text()), "bytes": None}))

    here.fetch(bytes=None)

    assert here.target.read_bytes() == DATA
    assert here.starts == [0, 50_000 + len(DATA), 0]


def test_wrong_bytes_are_thrown_away_and_fetched_once_more(here: Here) -> None:
    """Both hashes are told."""
    wrong = b"x" * len(DATA)
    here.server.replies.append(Reply(data=wrong))

    found = here.fetch()

    assert (found.sha256, here.target.read_bytes()) == (HASH, DATA)
    assert here.starts == [0, 0]
    (told,) = here.told
    assert hashlib.sha256(wrong).hexdigest() in told
    assert HASH in told


def test_wrong_bytes_twice_are_an_error(here: Here) -> None:
    """And no file of that name, nor a part that would be gone on with."""
    here.server.replies += [Reply(data=b"x" * len(DATA))] * 2

    with pytest.raises(FetchFailed, match=f"what came is another file: .* and {HASH} is pinned"):
        here.fetch()

    assert here.left == []


def test_a_part_that_was_spoilt_is_found_by_the_hash(here: Here) -> None:
    """Of the whole, what was there before included."""
    here.cut_after(50_000)
    with part_of(here.target).open("r+b") as part:
        part.write(b"spoilt")

    found = here.fetch()

    assert (found.sha256, here.starts) == (HASH, [0, 50_000, 0])
    assert here.target.read_bytes() == DATA


def test_the_hash_that_the_publisher_says_counts_where_none_is_pinned(here: Here) -> None:
    """As Hugging Face does, beside the redirect to its store."""
    linked = {"Location": "/store", "X-Linked-Etag": f'"{HASH}"'}
    here.server.files["/store"] = Published(DATA)
    here.server.replies += [Reply(302, linked), Reply(data=DATA[:-1] + b"x")]
    here.server.replies += [Reply(302, linked)]

    found = here.fetch(sha256=None)

    assert found.sha256 == HASH
    assert len(here.server.asked) == 4


def test_another_size_than_the_pinned_one_is_refused_at_once(here: Here) -> None:
    """Before a byte of it is kept."""
    with pytest.raises(FetchFailed, match="has 131072 bytes there, and 3 are pinned"):
        here.fetch(bytes=3)

    assert here.left == []


def test_more_than_the_pinned_size_is_not_read_to_its_end(here: Here) -> None:
    """Of a server that does not say how much it will be; whatever it goes on with."""
    here.server.replies += [Reply(chunked=True, data=DATA * 200)] * 2

    with pytest.raises(FetchFailed, match="bytes, and 131072 are pinned"):
        here.fetch()

    assert here.server.asked[0].sent < len(DATA) * 200
    assert here.left == []


def test_stores_that_do_not_agree_on_a_name_for_it_have_one_file(here: Here) -> None:
    """Where the publisher names its hash: only the rest is sent."""
    linked = {"Location": "/store-1", "X-Linked-Etag": f'"{HASH}"'}
    here.server.files |= {
        "/store-1": Published(DATA, etag='"one"'),
        "/store-2": Published(DATA, etag='"two"'),
    }
    here.server.replies.append(Reply(302, linked))
    here.cut_after(50_000, sha256=None)
    here.server.replies.append(Reply(302, {**linked, "Location": "/store-2"}))

    found = here.fetch(sha256=None)

    assert (found.sha256, found.received) == (HASH, len(DATA) - 50_000)


def test_a_publisher_that_says_another_hash_has_another_file(here: Here) -> None:
    """Where the version's name has stayed: the part is not gone on with."""
    other = bytes(reversed(DATA))
    here.server.files["/m.pte"] = Published(DATA, headers={"X-Linked-Etag": f'"{HASH}"'})
    here.cut_after(50_000, sha256=None)
    linked = hashlib.sha256(other).hexdigest()
    here.server.files["/m.pte"] = Published(other, headers={"X-Linked-Etag": f'"{linked}"'})

    found = here.fetch(sha256=None)

    assert (found.sha256, here.starts) == (linked, [0, 50_000, 0])


def test_what_is_refused_is_not_asked_again(here: Here) -> None:
    """With what the server answered."""
    with pytest.raises(FetchFailed, match="answers 404 Not Found") as caught:
        here.fetch(url=f"{here.server.url}/gone")

    assert (caught.value.status, here.paused, len(here.server.asked)) == (404, [], 1)
    assert here.left == []


def test_a_server_in_trouble_is_asked_again(here: Here) -> None:
    """After longer and longer pauses, and not before it asks for."""
    here.server.replies += [Reply(500), Reply(503), Reply(429, {"Retry-After": "17"}), Reply(502)]

    here.fetch()

    assert here.paused == [1.0, 2.0, 17.0, 8.0]
    assert "answers 500 Internal Server Error; once more in 1 s" in here.told[0]


def test_a_server_that_wants_to_be_left_alone_for_long_is(here: Here) -> None:
    """Nobody sits before it for an hour."""
    here.server.replies.append(Reply(429, {"Retry-After": "3600"}))

    with pytest.raises(FetchFailed, match="answers 429 Too Many Requests, for 1 h 0 min"):
        here.fetch()

    assert here.paused == []


def test_trouble_that_does_not_end_is_given_up(here: Here) -> None:
    """What has come of it stays."""
    here.server.replies += [Reply(after=50_000), *[Reply(500)] * 6]

    with pytest.raises(FetchFailed, match="tried 6 times without a byte more"):
        here.fetch()

    assert here.paused == [1.0, 2.0, 4.0, 8.0, 16.0]
    assert here.fetch().received == len(DATA) - 50_000


def test_a_server_that_never_gets_further_is_given_up(here: Here) -> None:
    """Though it sends something each time."""
    here.server.replies += [Reply(ranges=False, after=50_000)] * 9

    with pytest.raises(FetchFailed, match="tried 6 times"):
        here.fetch()


def test_no_network_is_told_with_what_to_look_at(here: Here) -> None:
    """The name of who could not be reached, and of the variable for a proxy."""
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{closed.getsockname()[1]}/m.pte"

        with pytest.raises(FetchFailed, match="Connection refused") as caught:
            here.fetch(url=url)

    assert "HTTPS_PROXY" in caught.value.hint
    assert here.left == []


def test_a_server_that_never_answers_is_given_up(here: Here) -> None:
    """It takes the connection, and that is all."""
    with socket.create_server(("127.0.0.1", 0)) as mute:
        url = f"http://127.0.0.1:{mute.getsockname()[1]}/m.pte"

        with pytest.raises(FetchFailed, match="no answer in time"):
            here.fetch(url=url, silence_s=0.05)

    assert len(here.paused) == 5


def test_silence_is_not_waited_out(here: Here) -> None:
    """The rest is asked for on another connection."""
    here.server.replies.append(Reply(after=50_000, gate=threading.Event()))

    here.fetch(silence_s=0.3)

    assert here.starts == [0, 50_000]
    assert "nothing came any more" in here.told[0]


def test_a_redirect_is_followed_again_when_it_is_gone_on_with(here: Here) -> None:
    """Addresses of a store expire; the publisher's does not."""
    here.server.files |= {"/signed-1": Published(DATA), "/signed-2": Published(DATA)}
    here.server.replies += [Reply(302, {"Location": "/signed-1"}), Reply(after=50_000)]
    here.server.replies += [Reply(302, {"Location": "/signed-2"})]

    here.fetch()

    assert here.target.read_bytes() == DATA
    assert [(asked.path, asked.start) for asked in here.server.asked] == [
        ("/m.pte", 0),
        ("/signed-1", 0),
        ("/m.pte", 50_000),
        ("/signed-2", 50_000),
    ]


def test_a_token_stays_with_the_server_that_was_asked(here: Here) -> None:
    """Wherever that sends us."""
    with serving("localhost") as store:
        store.files["/signed"] = Published(DATA)
        here.server.replies += [
            Reply(307, {"Location": "/moved"}),
            Reply(302, {"Location": f"{store.url}/signed"}),
        ]

        here.fetch(token="secret")

    assert [asked.authorization for asked in here.server.asked] == ["Bearer secret"] * 2
    assert [asked.authorization for asked in store.asked] == [""]


def test_redirects_in_a_circle_end(here: Here) -> None:
    """As an answer that is refused."""
    here.server.replies += [Reply(302, {"Location": "/m.pte"})] * 99

    with pytest.raises(FetchFailed, match="answers 302"):
        here.fetch()


@pytest.mark.parametrize("url", ["file:///etc/passwd", "ftp://127.0.0.1/x", "m.pte", "http://[/"])
def test_an_address_that_is_none_of_the_web_is_refused(here: Here, url: str) -> None:
    """Nothing on this machine is read through it."""
    with pytest.raises(FetchFailed):
        here.fetch(url=url)

    assert here.paused == []


def test_a_redirect_to_a_file_of_this_machine_is_refused(here: Here) -> None:
    """It is the server's wish, not the user's."""
    here.server.replies.append(Reply(302, {"Location": "file:///etc/passwd"}))

    with pytest.raises(FetchFailed, match="is not allowed"):
        here.fetch()


def test_an_encoded_answer_is_refused(here: Here) -> None:
    """Its bytes are not the file's."""
    here.server.files["/m.pte"] = Published(DATA, headers={"Content-Encoding": "gzip"})

    with pytest.raises(FetchFailed, match="the answer is encoded as gzip"):
        here.fetch()


def test_an_empty_file_is_a_file(here: Here) -> None:
    """It is whole before its first byte."""
    here.server.files["/m.pte"] = Published(b"")

    assert here.fetch(bytes=None, sha256=None).bytes == 0
    assert here.left == [NAME]


def test_room_is_looked_for_before_the_first_byte(here: Here) -> None:
    """With what is needed and what there is."""
    here.free = 1_000_000

    with pytest.raises(FetchFailed, match=r"disk full: 64\.1 MB needed, 1\.0 MB free") as caught:
        here.fetch()

    assert "make room" in caught.value.hint
    assert here.server.asked[0].sent <= len(DATA)
    assert here.left == []


def test_a_disk_that_fills_up_keeps_the_part(here: Here) -> None:
    """The next run goes on, when there is room."""

    def put(descriptor: int, data: memoryview, offset: int, /) -> int:
        if offset >= 50_000:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return os.pwrite(descriptor, data[: 50_000 - offset], offset)

    with pytest.raises(FetchFailed, match=r"disk full: 81\.1 kB needed, 1\.0 TB free"):
        fetch(here.wanted, replace(here.world, put=put))

    assert here.fetch().received == len(DATA) - 50_000


def test_another_file_of_its_name_is_left_alone(here: Here) -> None:
    """It is somebody's; unless it is ours."""
    here.target.parent.mkdir()
    here.target.write_bytes(b"mine")

    with pytest.raises(FetchFailed, match=f"{NAME} is another file: it has 4 bytes, not 131072"):
        here.fetch()
    kept = here.target.read_bytes()
    here.fetch(ours=True)

    assert (kept, here.target.read_bytes()) == (b"mine", DATA)


def test_a_folder_that_may_not_be_written_is_told(here: Here) -> None:
    """By its name."""
    here.target.parent.touch()

    with pytest.raises(FetchFailed, match="a folder ü"):
        here.fetch()
