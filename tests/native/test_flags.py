"""Is a command line read as gflags reads it?"""

from __future__ import annotations

import pytest

from tests.native.flags import FlagError, Flags, read_flags


def test_nothing_said_is_what_the_worker_assumes() -> None:
    """One session, warm, of whatever mode the program is; a block of four."""
    assert read_flags([]) == Flags()
    assert (Flags().max_sessions, Flags().bos_id, Flags().eos_id) == (1, 200000, 200001)
    assert (Flags().dflash_block_length, Flags().dflash_n_draft) == (4, 3)


@pytest.mark.parametrize(
    "argv",
    [
        ["--max_sessions=2"],
        ["--max_sessions", "2"],
        ["-max_sessions=2"],
        ["--max-sessions", "2"],
        ["--max_sessions=7", "--max_sessions=2"],
        ["passed", "over", "--max_sessions=2", "--", "--no_such_flag"],
    ],
)
def test_a_flag_can_be_written_in_several_ways(argv: list[str]) -> None:
    """And the last one wins."""
    assert read_flags(argv).max_sessions == 2


@pytest.mark.parametrize(
    ("argv", "warm"),
    [
        (["--warm_resume=false"], False),
        (["--nowarm_resume"], False),
        (["--warm_resume"], True),
        # A value beside it is no value of it.
        (["--warm_resume", "false"], True),
    ],
)
def test_what_is_true_or_false_takes_its_value_with_a_sign_only(
    argv: list[str],
    warm: bool,  # noqa: FBT001
) -> None:
    """So `--warm_resume false` is true."""
    assert read_flags(argv).warm_resume is warm


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["--threads=2"], "unknown command line flag 'threads'"),
        (["--dflash", "false"], "unknown command line flag 'dflash'"),
        (["--bos_token", "x"], "unknown command line flag 'bos_token'"),
        (["--noeos_id"], "unknown command line flag 'noeos_id'"),
        (["--max_sessions=two"], "illegal value 'two' specified for flag 'max_sessions'"),
        (["--max_sessions=2147483648"], "illegal value '2147483648'"),
        (["--max_sessions"], "missing its argument"),
    ],
)
def test_a_wrong_flag_ends_the_program(argv: list[str], said: str) -> None:
    """Whichever is ours alone is one."""
    with pytest.raises(FlagError, match=said):
        read_flags(argv)
