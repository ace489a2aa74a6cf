"""Does the proof tell held, refuted and not looked at apart, and hold where it can be run?

The whole of it is run where MUSE_EXECUTORCH_CHECKOUT names a git checkout that has the pinned
commit, and MUSE_PROOF_INCLUDE, where that is needed, folders of headers.
"""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from patches.proof.building import CPP, Compiler, Program
from patches.proof.cases import CASES
from patches.proof.headers import HEADERS, find_headers, places
from patches.proof.tree import Tree, TreeFailed, lay_out
from patches.proof.verdicts import Proof
from patches.proof.worker_process import Refuted, WorkerProcess, generate, line

ROOT = Path(__file__).parents[2]
CHECKOUT = os.environ.get("MUSE_EXECUTORCH_CHECKOUT", "")
MOST_S = 3600


@pytest.mark.skipif(not CHECKOUT, reason="MUSE_EXECUTORCH_CHECKOUT names no checkout of ExecuTorch")
def test_the_patch_does_what_its_page_says() -> None:
    """Everything that can be looked at here holds; what cannot is told, with the reason."""
    folders = os.environ.get("MUSE_PROOF_INCLUDE", "").split(os.pathsep)
    includes = [f"--include={folder}" for folder in folders if folder]

    done = subprocess.run(
        [sys.executable, ROOT / "patches" / "prove.py", "--checkout", CHECKOUT, *includes],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=MOST_S,
        check=False,
    )

    assert "REFUTED]" not in done.stdout, done.stdout
    assert done.returncode in {0, 3}, done.stdout


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["--checkout", "nowhere"], 2, "nowhere is no folder"),
        (["--checkout", ".", "--only-worker"], 2, "--only-worker needs --keep-worker"),
        (["--checkout", "."], 1, "[REFUTED] the tree and the patch fit\n        git -C . archive"),
    ],
)
def test_what_is_no_checkout_is_told(
    arguments: list[str], code: int, told: str, tmp_path: Path
) -> None:
    """Used wrongly is 2; a repository without the commit proves nothing, which is 1."""
    git("init", "-q", where=tmp_path)

    done = subprocess.run(
        [sys.executable, ROOT / "patches" / "prove.py", *arguments],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=MOST_S,
        check=False,
    )

    assert (done.returncode, told in done.stdout + done.stderr) == (code, True)


@pytest.mark.parametrize(
    ("held", "refuted", "skipped", "code"),
    [(2, 0, 0, 0), (2, 1, 1, 1), (2, 0, 1, 3), (0, 0, 0, 3)],
)
def test_the_exit_code_is_the_worst_that_was_found(
    held: int, refuted: int, skipped: int, code: int
) -> None:
    """Nothing looked at is not held."""
    proof = Proof(io.StringIO())
    for _ in range(held):
        proof.held("a claim")
    for _ in range(refuted):
        proof.refuted("a claim", "why")
    for _ in range(skipped):
        proof.skipped("a claim", "why")

    assert proof.exit_code == code
    assert proof.summary() == f"{held} held, {refuted} REFUTED, {skipped} not looked at"


def test_a_claim_is_told_with_what_is_wrong() -> None:
    """In one line, and the reason below it."""
    out = io.StringIO()
    proof = Proof(out)

    assert proof.judge("one", "")
    assert not proof.judge("two", "it is\nnot so")
    assert out.getvalue() == "  [held] one\n  [REFUTED] two\n        it is\n        not so\n"


def test_headers_are_taken_from_where_one_says(tmp_path: Path) -> None:
    """Then from the checkout's submodules, then from the system."""
    asked, checkout = tmp_path / "asked", tmp_path / "checkout"
    submodule = checkout / "extension/llm/tokenizers/include"
    for at in (
        asked / "stb/deprecated/stb_image_resize.h",
        asked / "stb/stb_image.h",
        submodule / "pytorch/tokenizers/tokenizer.h",
    ):
        at.parent.mkdir(parents=True, exist_ok=True)
        at.touch()

    found = find_headers(places([asked], checkout))

    assert found["stb"] == asked / "stb"
    assert found["stb_resize"] == asked / "stb/deprecated"
    assert found["tokenizers"] == submodule
    assert all((folder / HEADERS[key].name).is_file() for key, folder in found.items())


def test_the_fake_engine_is_found_before_the_real_one(tmp_path: Path) -> None:
    """And nothing but the engine is ours."""
    headers = dict.fromkeys(HEADERS, Path("/usr/include"))
    argv = Compiler("g++", headers).argv(
        Program("a/worker.cpp", "worker", "thread", fake=True, libraries=("x",)),
        Tree(tmp_path / "executorch"),
        tmp_path / "into",
    )

    includes = [each for each in argv if each.startswith("-I")]
    assert includes[:3] == [f"-I{tmp_path / 'into' / 'shadow'}", f"-I{CPP}", f"-I{tmp_path}"]
    assert "-I/usr/include" not in includes
    assert {"-fsanitize=thread", "-lx", str(tmp_path / "executorch/a/worker.cpp")} <= set(argv)
    assert argv[-2:] == ["-o", str(tmp_path / "into" / "worker")]


def git(*arguments: str, where: Path) -> str:
    """Run git with a name of its own."""
    named = ["-c", "user.name=Any One", "-c", "user.email=any@example.org"]
    command = ["git", *named, *arguments]
    return subprocess.run(command, cwd=where, capture_output=True, text=True, check=True).stdout


def test_a_checkout_is_only_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The pinned commit is laid out, whatever is checked out, dirty or not."""
    checkout = tmp_path / "check out"
    (checkout / "runtime").mkdir(parents=True)
    git("init", "-q", where=checkout)
    (checkout / "runtime/a.h").write_text("pinned\n")
    git("add", ".", where=checkout)
    git("commit", "-qm", "one", where=checkout)
    commit = git("rev-parse", "HEAD", where=checkout).strip()
    (checkout / "runtime/a.h").write_text("changed since\n")
    before = git("status", "--porcelain", where=checkout)
    monkeypatch.setattr("patches.proof.tree.PARTS", ("runtime",))

    tree = lay_out(checkout, commit, tmp_path / "into")

    assert (tree.root / "runtime/a.h").read_text() == "pinned\n"
    assert git("status", "--porcelain", where=checkout) == before
    assert git("worktree", "list", where=checkout).count("\n") == 1


def test_what_is_no_checkout_of_the_commit_is_told(tmp_path: Path) -> None:
    """With git's own words."""
    git("init", "-q", where=tmp_path)

    with pytest.raises(TreeFailed, match=r"git -C .* archive: fatal: "):
        lay_out(tmp_path, "0" * 40, tmp_path / "into")


def test_a_patch_applies_whole_and_reverses(tmp_path: Path) -> None:
    """Or is refused, with the file that it does not fit."""
    tree = Tree(tmp_path / "executorch")
    tree.root.mkdir()
    (tree.root / "a.h").write_text("one\n")
    patch = tmp_path / "a.patch"
    patch.write_text("diff --git a/a.h b/a.h\n--- a/a.h\n+++ b/a.h\n@@ -1 +1 @@\n-one\n+two\n")
    before = tree.state()

    tree.apply(patch)
    assert (tree.root / "a.h").read_text() == "two\n"
    with pytest.raises(TreeFailed, match=r"a\.h"):
        tree.apply(patch)
    tree.apply(patch, reverse=True)
    assert tree.state() == before


ECHO = """
import sys
print('{"ready": true}', flush=True)
print("it hears", file=sys.stderr, flush=True)
for line in sys.stdin:
    print('{"token": "a"}\\n{"done": true}', flush=True)
"""


RACE = "WARNING: ThreadSanitizer: data race"


def test_a_process_is_driven_line_by_line() -> None:
    """From its ready line to its exit."""
    with WorkerProcess([sys.executable, "-c", ECHO]) as worker:
        worker.heard("it hears")
        worker.send(generate(1), generate(2))
        assert worker.first_text() == "a"
        assert worker.end_of_turn() == ("", {"done": True})
        assert worker.end_of_turn() == ("a", {"done": True})
        worker.hang_up()
        assert worker.exit_code() == 0
        assert worker.complaints() == "it hears\n"


def test_a_process_that_ends_too_soon_is_told_with_its_words() -> None:
    """Its exit code, and what it said on stderr."""
    with pytest.raises(Refuted, match=r"exit code 3; on stderr: no model"):
        WorkerProcess(
            [sys.executable, "-c", "import sys; print('no model', file=sys.stderr); sys.exit(3)"]
        )


def test_what_a_sanitizer_finds_refutes_a_case_that_held_otherwise() -> None:
    """Also where the process goes on, or is ended with the case."""
    with pytest.raises(Refuted, match=r"ThreadSanitizer; on stderr: .*data race"):  # noqa: SIM117
        with WorkerProcess([sys.executable, "-c", ECHO.replace("it hears", RACE)]) as worker:
            worker.heard(RACE)


def test_a_request_is_one_line() -> None:
    """By the names of the protocol."""
    assert line(generate(7, "Hi", session="a", seed=1)) == (
        b'{"prompt": "Hi", "max_new_tokens": -1, "seed": 1, "session_id": "a",'
        b' "cancel_request_id": 7}\n'
    )


def test_every_case_says_something_of_its_own() -> None:
    """The control needs both kinds: what the patch brings, and what was so before."""
    claims = [case.claim for case in CASES]

    assert len(set(claims)) == len(claims)
    assert {case.new for case in CASES} == {True, False}
