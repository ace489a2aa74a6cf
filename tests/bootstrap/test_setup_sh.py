"""Does the shell find a Python or bring one, and hand over to bootstrap, wherever it is called?

Commands are a few lines of shell in a folder that is the whole PATH; `curl` copies a file that lies
there, and the archive it brings holds a `uv` that makes a Python by writing one.
"""

from __future__ import annotations

import hashlib
import os
import pty
import re
import shutil
import subprocess
import sys
import tarfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from bootstrap.fetching.uv import uv_archive
from bootstrap.pinning.pins_file import read_pins

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).parents[2]
NEEDED = ("sh", "dirname", "cut", "mkdir", "mv", "rm", "tar", "gzip", "cat", "cp", "chmod", "sleep")
"""What the script may use of the system's own, besides what a test fakes."""
PLATFORM = "aarch64-apple-darwin"
SAYS = "import os, sys; print(sys.executable, sys.argv[1:], os.getcwd(), sep='\\n')"


def python(name: str, *, enough: bool = True) -> str:
    """A Python that says who it is and what it is given; what it is asked first is its version."""
    return (
        f'#!/bin/sh\ncase "$*" in *ensurepip*) exit {0 if enough else 1} ;; esac\n'
        f'printf "{name}\\n"; shift 3; printf "%s\\n" "$@"\n'
    )


UV = f"""#!/bin/sh
printf 'uv %s in %s\\n' "$*" "$UV_PYTHON_INSTALL_DIR" >&2
test ! -e "$(dirname "$0")/../../../uv-fails" || exit 1
bin=$UV_PYTHON_INSTALL_DIR/cpython-3.12.9-macos-aarch64-none/bin
mkdir -p "$bin"
cat > "$bin/python3.12" <<'END'
{python("brought")}END
chmod +x "$bin/python3.12"
"""
CURL = """#!/bin/sh
printf 'curl %s\\n' "$*" >> "${0%/*}/../curled"
while [ "$#" -gt 1 ]; do
    [ "$1" != --output ] || out=$2
    shift
done
cp "${0%/*}/../archive" "$out"
"""


@dataclass
class Machine:
    """A checkout with the two scripts, a PATH of its own, and what there is to be fetched."""

    folder: Path
    system: str = "Darwin arm64"
    environ: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        (self.root / "bootstrap").mkdir(parents=True)
        (self.root / "bootstrap" / "__init__.py").touch()
        self.bin.mkdir()
        shutil.copy(ROOT / "setup", self.root / "setup")
        text = (ROOT / "bootstrap" / "setup.sh").read_text(encoding="utf-8")
        (self.root / "bootstrap" / "setup.sh").write_text(text, encoding="utf-8")
        self.pack(UV)
        self.pin()
        for name in NEEDED:
            (self.bin / name).symlink_to(shutil.which(name) or "/")
        sums = shutil.which("sha256sum") or shutil.which("shasum")
        assert sums is not None
        (self.bin / Path(sums).name).symlink_to(sums)
        self.have("uname", f"#!/bin/sh\necho {self.system}\n")
        self.have("curl", CURL)

    @property
    def root(self) -> Path:
        """The checkout."""
        return self.folder / "Prüf stand's"

    @property
    def bin(self) -> Path:
        """The PATH."""
        return self.folder / "bin"

    def pack(self, uv: str) -> None:
        """Have this be what is fetched."""
        inside = self.folder / f"uv-{PLATFORM}"
        inside.mkdir(exist_ok=True)
        (inside / "uv").write_text(uv)
        (inside / "uv").chmod(0o755)
        with tarfile.open(self.folder / "archive", "w:gz") as archive:
            archive.add(inside, inside.name)

    def pin(self) -> None:
        """Have the archive be the one that is pinned."""
        script = self.root / "bootstrap" / "setup.sh"
        sha256 = hashlib.sha256((self.folder / "archive").read_bytes()).hexdigest()
        text = script.read_text(encoding="utf-8")
        pinned = re.sub(r"(?<=UV_SHA256_AARCH64_APPLE_DARWIN=)\w+", sha256, text)
        script.write_text(pinned, encoding="utf-8")

    def have(self, name: str, script: str) -> None:
        """Put a command on the PATH."""
        (self.bin / name).write_text(script)
        (self.bin / name).chmod(0o755)

    def lack(self, name: str) -> None:
        """Take one away."""
        (self.bin / name).unlink()

    def setup(
        self, *arguments: str, script: str = "bootstrap/setup.sh", cwd: Path | None = None
    ) -> tuple[int, list[str], str]:
        """Call it; its code, its lines, and what it told."""
        ended = subprocess.run(
            ["/bin/sh", self.root / script, *arguments],
            cwd=cwd or self.folder,
            env={"PATH": str(self.bin), "HOME": str(self.folder), **self.environ},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        return ended.returncode, ended.stdout.splitlines(), ended.stderr

    @property
    def curled(self) -> list[str]:
        """What was fetched."""
        kept = self.folder / "curled"
        return kept.read_text().splitlines() if kept.exists() else []

    @property
    def tools(self) -> list[str]:
        """What lies where uv is put."""
        found = (self.root / ".runtime" / "tools").rglob("*")
        return sorted(path.name for path in found)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """A Mac with Apple silicon, and no Python."""
    return Machine(tmp_path)


def test_what_is_pinned_is_what_pins_toml_pins() -> None:
    """One version and one hash, in two places."""
    text = (ROOT / "bootstrap" / "setup.sh").read_text(encoding="utf-8")
    pins = read_pins(ROOT / "bootstrap" / "pins.toml")
    uv = pins.tools["uv"]
    said = dict(re.findall(r"^(\w+)=(\S+)$", text, re.MULTILINE))

    assert said["UV_VERSION"] == uv.version
    assert said["UV_SHA256_AARCH64_APPLE_DARWIN"] == uv.archives[PLATFORM]
    assert said["UV_URL"].strip("'") == uv.url
    assert said["PYTHON_VERSION"] == pins.runtimes["muse-m5"].python


@pytest.mark.parametrize("script", ["setup", "bootstrap/setup.sh"])
def test_the_newest_python_is_handed_over_to(machine: Machine, script: str) -> None:
    """With the checkout, and every argument as it is; nothing is fetched."""
    machine.have("python3", python("three", enough=False))
    machine.have("python3.11", python("eleven"))
    machine.have("python3.12", python("twelve"))
    machine.have("python3.13", python("thirteen", enough=False))

    code, lines, told = machine.setup("--profile", "two words", "", script=script)

    assert (code, told, machine.curled) == (0, "", [])
    assert lines == ["twelve", str(machine.root), "--profile", "two words", ""]


def test_bootstrap_itself_is_found_from_any_folder(machine: Machine, tmp_path: Path) -> None:
    """By a real Python, which takes nothing that lies in that folder, or is in its variables."""
    machine.environ = {"MUSE_PYTHON": sys.executable, "PYTHONPATH": str(tmp_path)}
    (tmp_path / "json.py").write_text("raise SystemExit('mine')")
    (tmp_path / "bootstrap").mkdir()
    (machine.root / "bootstrap" / "__main__.py").write_text(f"import json\n{SAYS}")

    code, lines, told = machine.setup("--plan", cwd=tmp_path)

    assert (code, told) == (0, "")
    assert lines[1:] == ["['--plan']", os.fspath(tmp_path.resolve())]


def test_a_python_that_was_named_is_taken(machine: Machine) -> None:
    """Or refused, if it will not do; no other is looked for."""
    machine.have("python3", python("three"))
    machine.have("mine", python("mine"))
    machine.environ["MUSE_PYTHON"] = str(machine.bin / "mine")

    assert machine.setup()[1][0] == "mine"

    machine.have("mine", python("mine", enough=False))
    code, lines, told = machine.setup()
    assert (code, lines) == (1, [])
    assert "is no Python 3.11 or newer with venv" in told


def test_without_a_python_the_pinned_uv_brings_one(machine: Machine) -> None:
    """Verified first, all of it below .runtime; a second run fetches nothing."""
    code, lines, told = machine.setup("--plan")

    runtime = machine.root / ".runtime"
    assert (code, lines) == (0, ["brought", str(machine.root), "--plan"])
    assert f"uv python install 3.12 in {runtime}/python" in told
    assert len(machine.curled) == 1
    assert machine.tools == ["uv", "uv-0.11.14"]

    machine.lack("curl")
    assert machine.setup("--offline") == (0, ["brought", str(machine.root), "--offline"], "")


def test_things_are_made_where_they_are_to_be(machine: Machine) -> None:
    """A relative folder is one of the folder that we were called in."""
    machine.environ["MUSE_RUNTIME_DIR"] = "made here"

    assert machine.setup()[0] == 0
    assert (machine.folder / "made here" / "python").is_dir()
    assert not (machine.root / ".runtime").exists()


def test_an_archive_from_elsewhere_has_to_be_the_same(machine: Machine) -> None:
    """Its address is the user's to say, and its hash is not."""
    machine.environ["MUSE_UV_URL"] = "https://mirror.example/uv.tgz"

    assert machine.setup()[0] == 0
    assert machine.curled[0].endswith(" https://mirror.example/uv.tgz")


def test_an_address_with_places_is_filled_as_bootstrap_fills_it(machine: Machine) -> None:
    """One address serves both, and curl has its own idea of braces."""
    address = "https://mirror.example/{version}/uv-{version}-{platform}.tgz"
    machine.environ["MUSE_UV_URL"] = address
    uv = read_pins(ROOT / "bootstrap" / "pins.toml").tools["uv"]

    assert machine.setup()[0] == 0
    assert machine.curled[0].endswith(f" {uv_archive(uv, on=PLATFORM, url=address)}")
    assert "--globoff" in machine.curled[0]


@pytest.mark.parametrize(
    ("variables", "cache"),
    [
        ({}, "{root}/.runtime/cache/uv"),
        ({"UV_CACHE_DIR": "/mine"}, "/mine"),
        ({"UV_CACHE_DIR": "/mine", "MUSE_CACHE_DIR": "/all"}, "/all/uv"),
    ],
)
def test_uv_has_the_cache_that_it_has_later(
    machine: Machine, variables: dict[str, str], cache: str
) -> None:
    """As `python -m bootstrap` tells it."""
    machine.environ = variables
    machine.pack(
        UV.replace("printf 'uv %s", "printf 'cached in %s\\n' \"$UV_CACHE_DIR\" >&2; printf 'uv %s")
    )
    machine.pin()

    assert f"cached in {cache.format(root=machine.root)}\n" in machine.setup()[2]


def test_another_archive_is_not_unpacked(machine: Machine) -> None:
    """It is told what was found and what is pinned, and nothing of it is left."""
    machine.pack("#!/bin/sh\n")
    found = hashlib.sha256((machine.folder / "archive").read_bytes()).hexdigest()

    code, _, told = machine.setup()

    assert code == 1
    assert f"its SHA-256 is {found}" in told
    assert machine.tools == []


@pytest.mark.parametrize("sums", ["shasum", "sha256sum"])
def test_either_program_verifies(machine: Machine, sums: str) -> None:
    """A Mac has one of them, Linux the other."""
    digest = hashlib.sha256((machine.folder / "archive").read_bytes()).hexdigest()
    for each in ("shasum", "sha256sum"):
        (machine.bin / each).unlink(missing_ok=True)
    machine.have(sums, f'#!/bin/sh\nfor last in "$@"; do :; done\necho "{digest}  $last"\n')

    assert machine.setup()[0] == 0


def without_curl(machine: Machine) -> None:
    """As in a container."""
    machine.lack("curl")


def without_network(machine: Machine) -> None:
    """A name that nobody knows."""
    machine.have("curl", "#!/bin/sh\necho 'curl: (6) Could not resolve host' >&2\nexit 6\n")


def without_sums(machine: Machine) -> None:
    """Neither of the two."""
    for name in ("shasum", "sha256sum"):
        (machine.bin / name).unlink(missing_ok=True)


def cut_short(machine: Machine) -> None:
    """Half of the archive, and no word of it."""
    machine.have("curl", CURL.replace("cp ", ": cp ") + 'printf half > "$out"\n')


def full_disk(machine: Machine) -> None:
    """Nothing can be unpacked."""
    machine.lack("tar")
    machine.have("tar", "#!/bin/sh\necho 'tar: No space left on device' >&2\nexit 1\n")


def failing_uv(machine: Machine) -> None:
    """Its own download fails."""
    machine.root.joinpath("uv-fails").touch()


@pytest.mark.parametrize(
    ("breaks", "said"),
    [
        (without_curl, "curl is not on the PATH"),
        (without_network, "could not be fetched\n  try: is the network within reach?"),
        (without_sums, "neither shasum nor sha256sum is on the PATH"),
        (cut_short, "is not the archive that is pinned"),
        (full_disk, "could not be unpacked\n  try: is the disk full?"),
        (failing_uv, "uv could not install Python 3.12\n  try: is the network within reach?"),
    ],
)
def test_every_failure_says_what_to_do_and_can_be_gone_on_from(
    tmp_path: Path, breaks: Callable[[Machine], None], said: str
) -> None:
    """Nothing half is left, so that the next run does the rest."""
    machine = Machine(tmp_path / "broken")
    breaks(machine)

    code, lines, told = machine.setup()

    assert (code, lines) == (1, [])
    assert said in told
    assert "\n  try: " in told
    assert [name for name in machine.tools if name.startswith(".")] == []

    whole = Machine(tmp_path / "whole")
    shutil.rmtree(machine.bin)
    whole.bin.rename(machine.bin)
    machine.root.joinpath("uv-fails").unlink(missing_ok=True)
    assert machine.setup()[1] == ["brought", str(machine.root)]


@pytest.mark.parametrize("number", ["INT", "TERM", "KILL"])
def test_a_run_that_was_ended_leaves_nothing_to_the_next(machine: Machine, number: str) -> None:
    """In the middle of a download."""
    whole = (machine.bin / "curl").read_text()
    machine.have("curl", f"{whole}kill -{number} $PPID\nsleep 1\n")

    code, lines, _ = machine.setup()

    assert (code, lines) == ({"INT": 130, "TERM": 143, "KILL": -9}[number], [])
    machine.have("curl", whole)
    assert machine.setup()[1] == ["brought", str(machine.root)]
    assert machine.tools == ["uv", "uv-0.11.14"]


def test_nothing_is_brought_to_another_system(tmp_path: Path) -> None:
    """There is no uv pinned for it, and its own Python is a package away."""
    machine = Machine(tmp_path, system="Linux x86_64")

    code, _, told = machine.setup()

    assert code == 1
    assert "none is brought for Linux x86_64\n  try: apt install python3 python3-venv" in told
    assert machine.curled == []


def test_nothing_of_debians_is_said_to_an_intel_mac(tmp_path: Path) -> None:
    """Which has no apt."""
    code, _, told = Machine(tmp_path, system="Darwin x86_64").setup()

    assert code == 1
    assert "none is brought for Darwin x86_64\n  try: install one from python.org" in told


ROSETTA = """#!/bin/sh
prelude='import ensurepip, os, runpy, ssl, sys, venv
sys.platform = "darwin"
os.uname = lambda: type("Uname", (), {{"machine": "{machine}"}})
'
code=$3
shift 3
exec {python} -I -c "$prelude$code" "$@"
"""


@pytest.mark.parametrize(("runs_as", "taken"), [("arm64", True), ("x86_64", False)])
def test_a_python_for_intel_is_passed_over(machine: Machine, runs_as: str, *, taken: bool) -> None:
    """Everything would be made for Intel; one for this machine is brought."""
    script = ROSETTA.format(machine=runs_as, python=sys.executable)
    machine.have("python3", script)
    (machine.root / "bootstrap" / "__main__.py").write_text(SAYS)

    assert (machine.setup()[1][0] == sys.executable) == taken

    machine.environ["MUSE_PYTHON"] = str(machine.bin / "python3")
    code, _, told = machine.setup()
    assert (code == 0) == taken
    assert ("no Python 3.11 or newer with venv for Darwin arm64" in told) != taken


def test_under_rosetta_it_begins_anew_without(tmp_path: Path) -> None:
    """With every argument as it is."""
    machine = Machine(tmp_path, system="Darwin x86_64")
    machine.have("sysctl", '#!/bin/sh\ntest "$*" = "-n sysctl.proc_translated" && echo 1\n')
    machine.have(
        "arch",
        "#!/bin/sh\n"
        "printf '#!/bin/sh\\necho Darwin arm64\\n' > \"${0%/*}/uname\"\n"
        'test "$1" = -arm64 && shift && exec "$@"\n',
    )

    code, lines, _ = machine.setup("--profile", "two words")

    assert (code, lines) == (0, ["brought", str(machine.root), "--profile", "two words"])


@pytest.mark.parametrize(
    ("arguments", "offline"),
    [(("--offline",), ""), ((), "1"), ((), "True"), ((), "yes"), (("--port", "1"), "1")],
)
def test_offline_nothing_is_brought(
    machine: Machine, arguments: tuple[str, ...], offline: str
) -> None:
    """It is said how to go on; by the argument and by its variable."""
    machine.environ["MUSE_OFFLINE"] = offline
    code, _, told = machine.setup(*arguments)

    assert code == 1
    assert "--offline keeps us from bringing one\n  try: once without --offline" in told
    assert machine.curled == []


@pytest.mark.parametrize("offline", ["", "0", "no"])
def test_what_is_no_yes_does_not_keep_from_the_network(machine: Machine, offline: str) -> None:
    """Nor does an argument that looks like one."""
    machine.environ["MUSE_OFFLINE"] = offline

    assert machine.setup("--port", "1")[0] == 0


def is_enough(command: str) -> bool:
    """Whether a Python of this machine's own is one that will do."""
    code = "import ensurepip, ssl, sys, venv; sys.exit(sys.version_info < (3, 11))"
    return subprocess.run([command, "-c", code], capture_output=True, check=False).returncode == 0


@pytest.mark.skipif(not Path("/usr/bin/python3").exists(), reason="no /usr/bin/python3 here")
@pytest.mark.parametrize(("tools", "used"), [("exit 2", False), ("echo /Library/Tools", True)])
def test_a_stub_of_apples_is_not_called(machine: Machine, tools: str, *, used: bool) -> None:
    """It would open the window of an installer: there are no developer tools."""
    machine.have("xcode-select", f"#!/bin/sh\n{tools}\n")
    machine.environ["PATH"] = f"{machine.bin}:/usr/bin"
    (machine.root / "bootstrap" / "__main__.py").write_text(SAYS)
    names = [f"/usr/bin/{name}" for name in ("python3", "python3.11", "python3.12", "python3.13")]
    enough = any(is_enough(name) for name in names if Path(name).exists())

    _, lines, _ = machine.setup()

    assert (lines[0] != "brought") == (used and enough)


@pytest.fixture
def terminal() -> Iterator[tuple[int, int]]:
    """A terminal's two ends."""
    ours, theirs = pty.openpty()
    yield ours, theirs
    os.close(ours)


def test_a_window_that_was_opened_by_a_double_click_stays(
    machine: Machine, terminal: tuple[int, int]
) -> None:
    """Until Return is pressed; the exit code is that of the work."""
    ours, theirs = terminal
    machine.have("python3", python("three") + "exit 3\n")
    with subprocess.Popen(
        [machine.root / "setup"],
        cwd=machine.folder,
        env={"PATH": str(machine.bin), "HOME": str(machine.folder.resolve())},
        stdin=theirs,
        stdout=subprocess.PIPE,
        text=True,
    ) as opened:
        os.close(theirs)
        assert opened.stdout is not None
        said = ""
        while not said.endswith("close this window. "):
            letter = opened.stdout.read(1)
            assert letter, said
            said += letter
        assert opened.poll() is None
        os.write(ours, b"\n")

    assert opened.returncode == 3
    assert said.startswith(f"three\n{machine.root}\n")


def test_in_a_terminal_of_ones_own_nothing_is_asked(machine: Machine, tmp_path: Path) -> None:
    """Nor where there is none."""
    machine.have("python3", python("three") + "exit 3\n")

    code, lines, _ = machine.setup(script="setup", cwd=tmp_path / "bin")

    assert (code, lines) == (3, ["three", str(machine.root)])
