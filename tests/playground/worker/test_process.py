"""Are writes whole, and is a reader that is gone told apart from other trouble?"""

from __future__ import annotations

import os
import subprocess
import sys
import threading

import pytest

from playground.worker.errors import OutputClosed
from playground.worker.process import peak_rss_bytes, write_whole


def test_a_line_longer_than_the_pipe_is_written_whole() -> None:
    """A done line with the ids of a long turn does not fit in one write."""
    readable, writable = os.pipe()
    data, read = bytes(range(256)) * 4096, bytearray()

    def drain() -> None:
        while piece := os.read(readable, 2**14):
            read.extend(piece)

    reader = threading.Thread(target=drain)
    reader.start()
    write_whole(writable, data)
    os.close(writable)
    reader.join()
    os.close(readable)

    assert read == data


def test_a_reader_that_is_gone_is_the_end() -> None:
    """Not an error of the request that happened to be served."""
    readable, writable = os.pipe()
    os.close(readable)

    with pytest.raises(OutputClosed):
        write_whole(writable, b"x")

    os.close(writable)


def test_other_trouble_is_not_taken_for_the_end() -> None:
    """A descriptor that is not open is our mistake."""
    readable, writable = os.pipe()
    os.close(readable)
    os.close(writable)

    with pytest.raises(OSError, match="Bad file descriptor"):
        write_whole(writable, b"x")


def test_peak_memory_is_in_bytes() -> None:
    """A Python process is larger than a megabyte and smaller than a terabyte."""
    assert 10**6 < peak_rss_bytes() < 10**12


def test_peak_memory_is_the_programs_own() -> None:
    """A small program that is started by a large one does not count its starter's pages."""
    large = bytearray(b"x") * (256 * 2**20)
    told = "from playground.worker.process import peak_rss_bytes; print(peak_rss_bytes())"

    child = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)

    assert peak_rss_bytes() > len(large) > 2 * int(child.stdout)
