"""All that a setup of Muse Glimmer has to do with, small and on this machine.

    checkout    this project's code, with pins, locked packages and page sources of next to nothing
    toolchain   `fake_mac`, and a cmake, node, npm and uv that make by hand what the real ones would
    upstream    git repositories in a folder; their worker is the one that `tests.native` plays
    publisher   a file server for the model and for uv's archive

The setup is told of them by its variables and its PATH alone, and runs in processes of its own.
Every path has spaces and letters that are no ASCII.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import shlex
import shutil
import socket
import sys
import sysconfig
import tarfile
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bootstrap.fetching.uv import uv_platform
from bootstrap.pinning.pins_file import read_pins
from tests.bootstrap import upstream
from tests.bootstrap.fake_mac import fake_mac
from tests.bootstrap.fileserver import FileServer, Published
from tests.bootstrap.wheels import LOADER, index, wheel
from tests.bootstrap.whole.running import Ended, Started, Stepped
from tests.native.folder import make_folder

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = [
    "ANSWER",
    "BOOTSTRAP",
    "PROGRAM",
    "World",
    "copied",
    "files_of",
    "plan_of",
    "restored",
    "unplugged",
]

ROOT = Path(__file__).parents[3]
BOOTSTRAP = (sys.executable, "-m", "bootstrap")
ANSWER = "A whole answer."
SCRIPT = {
    "context_length": 4096,
    "draft_tokens": 3,
    "replies": [{"text": f" to=user<|message|>{ANSWER}"}],
}
PROGRAM = "script.pte"
PADDING = 300_000
"""Bytes that the program has besides, so that it comes in more than one piece."""
FILES = {PROGRAM: "program", "tokenizer.json": "tokenizer", "chat_template.jinja": "template"}
WORKER = "examples/models/muse-glimmer/worker.sh"
"""The source of the worker, upstream."""
PYTHON = "3.99"
"""A Python that no system has, so that uv has to bring it."""
NEEDED = (
    *("basename", "cat", "chmod", "cp", "dirname", "env", "expr", "head", "ls", "mkdir", "mv"),
    *("ps", "rm", "sed", "sh", "sleep", "tr", "wc"),
)
"""What git and the scripts below may use of the system's own."""

UV = f"""#!/bin/sh
set -eu
case "$1" in
--version) echo "uv 9.9.9 (of a test)" ;;
python)
    while [ "$1" != --install-dir ]; do shift; done
    bin="$2/cpython-$3.1-a-machine/bin"
    mkdir -p "$bin"
    cat > "$bin/python$3" <<'END'
{upstream.PYTHON}END
    chmod +x "$bin/python$3" ;;
esac
"""
HOLD = """
if [ -n "${HOLD:-}" ]; then
    sleep 600 &
    echo $$ $! > "$HOLD.new"; mv "$HOLD.new" "$HOLD"
    held=0
    while [ -e "$HOLD" ] && [ "$held" -lt 6000 ]; do sleep 0.02; held=$((held + 1)); done
    kill $!
fi
"""
"""Says who is at work, and waits until that note is removed."""
CMAKE = f"""
[ -z "${{BREAK:-}}" ] || {{ echo "worker.sh:1: error: no such thing"; exit 2; }}
if [ "$3" = mlx-release ]; then
    mkdir -p cmake-out/lib
    echo "[1/2] Building kernels"
    cat third-party/mlx/kernels third-party/mlx/fmt/format > cmake-out/lib/new
    mv cmake-out/lib/new cmake-out/lib/mlx.metallib
    exit 0
fi
cd ../../..
{HOLD}
out=cmake-out/examples/models/muse-glimmer
mkdir -p $out
echo "[2/2] Linking muse_glimmer_worker"
{{ cat {WORKER}; echo "# $(cat main.txt)"; }} > $out/new
chmod +x $out/new
mv $out/new $out/muse_glimmer_worker
"""
NODE = """
[ "$1" != --version ] || { echo v22.12.0; exit 0; }
mkdir -p "$4"
cp index.html "$4/index.html"
"""
NPM = """
[ "$1" != --version ] || { echo 10.9.0; exit 0; }
mkdir -p node_modules
cp package-lock.json node_modules/.package-lock.json
"""
PAGE = {
    "index.html": "<!doctype html><title>A page</title>\n",
    "package.json": "{}\n",
    "package-lock.json": '{"packages": {}}\n',
}


@dataclass
class World:
    """One machine, and what is within its reach."""

    folder: Path
    publisher: FileServer
    environ: dict[str, str] = field(default_factory=dict)
    running: list[Started] = field(default_factory=list)
    """Every setup that was started, whether it has ended or not."""

    @property
    def checkout(self) -> Path:
        """Where the project is."""
        return self.folder / "mein Prüfstand 音"

    @property
    def made(self) -> Path:
        """Where everything is made."""
        return Path(self.environ.get("MUSE_RUNTIME_DIR") or self.checkout / ".runtime")

    @property
    def models(self) -> Path:
        """Where the model's files are."""
        said = self.environ.get("MUSE_MODEL_DIR")
        return Path(said) if said else self.made / "models" / "muse-glimmer"

    @property
    def model(self) -> Path:
        """The model's program."""
        return self.models / PROGRAM

    @property
    def page(self) -> Path:
        """The page, as it is built."""
        return self.checkout / "playground" / "web" / "dist" / "index.html"

    @property
    def profile(self) -> Path:
        """What is started, noted."""
        return self.made / "profile.json"

    @property
    def started(self) -> Path:
        """The command that starts it."""
        return self.made / "server" / "venv" / "bin" / "muse-playground"

    @property
    def home(self) -> Path:
        """The person's folder, which nobody has any business in."""
        return self.folder / "home"

    @property
    def called(self) -> list[str]:
        """Which tools were called, and with what."""
        path = self.folder / "called"
        return path.read_text().splitlines() if path.exists() else []

    @property
    def program(self) -> bytes:
        """The program of the model, as it is published."""
        return self.publisher.files[f"/r1/{PROGRAM}"].data

    @property
    def worker(self) -> Path:
        """What is built."""
        return (
            self.made
            / "muse-m5/src/executorch"
            / "cmake-out"
            / Path(WORKER).parent
            / ("muse_glimmer_worker")
        )

    def build(self) -> None:
        """Make all of it; nothing is set up yet."""
        self.folder.mkdir(parents=True)
        self.home.mkdir()
        self._machine()
        self._publish()
        self._checkout()
        self.pin(self.commit_upstream("one"), self.patch("patched"))

    def run(self, *arguments: str, **environ: str) -> Ended:
        """`python -m bootstrap`, to its end."""
        return self.start(*arguments, **environ).end()

    def start(self, *arguments: str, **environ: str) -> Started:
        """The same, left running."""
        started = Started([*BOOTSTRAP, *arguments], self.checkout, {**self.environ, **environ})
        self.running.append(started)
        return started

    def stepped(self, *arguments: str, **environ: str) -> Stepped:
        """The same, held at each line that it tells."""
        stepped = Stepped([*BOOTSTRAP, *arguments], self.checkout, {**self.environ, **environ})
        self.running.append(stepped)
        return stepped

    def tool(self, name: str, body: str) -> None:
        """Put a tool on the PATH, which notes each of its calls."""
        noted = shlex.quote(str(self.folder / "called"))
        path = self.folder / "PATH é" / name
        path.unlink(missing_ok=True)
        path.write_text(f'#!/bin/sh\nset -e\necho "{name} $*" >> {noted}\n{body}\n')
        path.chmod(0o755)

    def without(self, name: str) -> None:
        """Have the PATH lack one of the tools."""
        old = Path(self.environ["PATH"])
        path = Path(tempfile.mkdtemp(prefix="PATH é ", dir=self.folder))
        for tool in old.iterdir():
            if tool.name != name:
                (path / tool.name).symlink_to(tool)
        self.environ["PATH"] = str(path)

    def anew(self) -> None:
        """Have everything made elsewhere, where nothing is yet."""
        shutil.rmtree(self.folder / "anew é", ignore_errors=True)
        self.environ["MUSE_RUNTIME_DIR"] = str(self.folder / "anew é")
        shutil.rmtree(self.page.parent)

    def stages(self, *arguments: str) -> dict[str, bool]:
        """Every stage, and whether it is due."""
        plan = plan_of(self.run("--plan", "--json", *arguments))
        return {stage["name"]: stage["due"] for work in plan["works"] for stage in work["stages"]}

    def commit_upstream(self, text: str) -> str:
        """Another commit of the worker; its hash."""
        words = shlex.join(["env", f"PYTHONPATH={ROOT}", sys.executable, "-m"])
        source = self.folder / "upstream" / WORKER
        source.parent.mkdir(parents=True, exist_ok=True)
        source.write_text(
            f'#!/bin/sh\n# {text}\n[ "$#" -gt 0 ] || exit 1\n'
            f'exec {words} tests.native.worker "$@"\n'
        )
        environ = {"PATH": os.environ["PATH"], "HOME": str(self.home), **self._git()}
        return upstream.commit(self.folder / "upstream", environ)

    def patch(self, text: str) -> str:
        """A patch of the worker beside the pins; its hash."""
        patch = f"--- a/main.txt\n+++ b/main.txt\n@@ -1 +1 @@\n-main\n+{text}\n"
        path = self.checkout / "patches" / "worker.patch"
        path.parent.mkdir(exist_ok=True)
        path.unlink(missing_ok=True)
        path.write_text(patch)
        return hashlib.sha256(patch.encode()).hexdigest()

    def pin(self, commit: str = "", patch: str = "", revision: str = "r1") -> None:
        """Write the pins; what is not said stays as it was."""
        path = self.checkout / "bootstrap" / "pins.toml"
        if path.exists() and (before := read_pins(path).runtimes.get("muse-m5")):
            commit = commit or before.executorch
            patch = patch or (before.patch.sha256 if before.patch else "") or ""
        path.unlink(missing_ok=True)
        path.write_text(self._pins(commit, patch, revision), encoding="utf-8")

    def _machine(self) -> None:
        git = shutil.which("git")
        path = self.folder / "PATH é"
        self.environ = {
            **fake_mac(path, {"git": None, "node": None, "npm": None}),
            **self._git(),
            "HOME": str(self.home),
            "LANG": "C.UTF-8",
            "PIP_CONFIG_FILE": os.devnull,
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
            "MUSE_GIT_MIRROR": f"file://{self.folder}",
            "MUSE_MODEL_MIRROR": self.publisher.url,
            "MUSE_UV_URL": f"{self.publisher.url}/uv.tar.gz",
            "MUSE_PIP_ARGS": index(self.folder / "wheels é", "1.0"),
        }
        for name in NEEDED:
            if (found := shutil.which(name)) and not (path / name).exists():
                (path / name).symlink_to(found)
        self.tool("git", f'exec {git} "$@"')
        for name, body in {"cmake": CMAKE, "node": NODE, "npm": NPM}.items():
            self.tool(name, body)
        upstream.repositories(self.folder / "repositories")
        for name in ("fmt", "mlx", "upstream"):
            shutil.move(self.folder / "repositories" / name, self.folder / name)

    def _git(self) -> dict[str, str]:
        """Git's own variables: a repository in a folder may be one's submodule."""
        configured = self.folder / "gitconfig"
        configured.write_text(
            "[user]\nname = Nobody\nemail = nobody@example.invalid\n"
            '[protocol "file"]\nallow = always\n[init]\ndefaultBranch = main\n'
        )
        return {"GIT_CONFIG_GLOBAL": str(configured), "GIT_CONFIG_NOSYSTEM": "1"}

    def _publish(self) -> None:
        model = make_folder(self.folder / "published", SCRIPT)
        files = {f"/r1/{name}": (model / name).read_bytes() for name in FILES}
        files[f"/r1/{PROGRAM}"] += b" " * PADDING
        files["/r1/LICENSE"] = b"As you like.\n"
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w:gz") as tar:
            told = tarfile.TarInfo(f"uv-{uv_platform()}/uv")
            told.size, told.mode = len(UV.encode()), 0o755
            tar.addfile(told, io.BytesIO(UV.encode()))
        files["/uv.tar.gz"] = packed.getvalue()
        self.publisher.files.update({path: Published(data) for path, data in files.items()})

    def _checkout(self) -> None:
        root = self.checkout
        for package, left in (("bootstrap", "nano"), ("playground", "models")):
            ignored = shutil.ignore_patterns(left, "web", "__pycache__", "*.md")
            shutil.copytree(ROOT / package, root / package, ignore=ignored)
        (root / "bootstrap" / "pins.toml").unlink()
        shutil.copy(ROOT / "pyproject.toml", root)
        (root / "mine").mkdir()
        (root / "mine" / "loading.py").write_text(LOADER)
        (root / "playground" / "web").mkdir()
        for name, text in PAGE.items():
            (root / "playground" / "web" / name).write_text(text)
        # What is locked is, all of it, what these tests themselves run on.
        paths = dict.fromkeys(sysconfig.get_paths()[key] for key in ("purelib", "platlib"))
        lines = "".join(f"import sys; sys.path.append({path!a})\n" for path in paths)
        wheels = self.folder / "wheels é"
        wheel(wheels, "locked", "1.0", {"zz-locked.pth": lines.encode()})
        [found] = wheels.glob("locked-*.whl")
        sha256 = hashlib.sha256(found.read_bytes()).hexdigest()
        (root / "bootstrap" / "requirements" / "server.txt").write_text(
            f"locked==1.0 --hash=sha256:{sha256}\n"
        )

    def _pins(self, commit: str, patch: str, revision: str) -> str:
        real = read_pins(ROOT / "bootstrap" / "pins.toml")
        runtime = real.runtimes["muse-m5"]
        manifest = {**real.models["muse-glimmer"].manifest, "context_length": 4096}
        files = []
        for path, role in FILES.items():
            data = self.publisher.files[f"/r1/{path}"].data
            known = f'bytes = {len(data)}, sha256 = "{hashlib.sha256(data).hexdigest()}"'
            files.append(f'{{ path = "{path}", role = "{role}", {known} }}')
        files.append('{ path = "LICENSE", role = "licence" }')
        archive = hashlib.sha256(self.publisher.files["/uv.tar.gz"].data).hexdigest()
        said = "\n".join(f"{key} = {toml(value)}" for key, value in manifest.items())
        return f"""
default = "embedded"
[runtime.muse-m5]
why = "the real one's commands, products and flags, of another source"
worker = "native"
platform = "macos-arm64"
executorch = "{commit}"
repository = "https://github.com/upstream"
python = "{PYTHON}"
torch = "{runtime.torch}"
patch = {{ path = "../patches/worker.patch", sha256 = "{patch}" }}
build = {toml(runtime.build)}
products = {toml(runtime.products)}
module = "{runtime.module}"
flags = {toml(runtime.flags)}
[model.muse-glimmer]
why = "a script"
url = "https://models.example/{{revision}}/{{path}}"
revision = "{revision}"
folder = "../.runtime/models/muse-glimmer"
files = [{", ".join(files)}]
[model.muse-glimmer.manifest]
{said}
[tool.uv]
why = "brings a Python"
version = "9.9.9"
url = "https://uv.example/uv.tar.gz"
archives = {{ {uv_platform()} = "{archive}" }}
[runtime.embedded]
why = "packages that hold nothing"
worker = "python"
executorch = "1.0"
torch = "2.0"
module = "mine.worker"
loads = "mine.loading:load"
[model.nano]
why = "one that ships"
folder = "."
files = [{{ path = "pins.toml", role = "program" }}]
[pin.muse-m5]
why = "the two"
runtime = "muse-m5"
model = "muse-glimmer"
[pin.embedded]
why = "the two"
runtime = "embedded"
model = "nano"
"""


def plan_of(ended: Ended) -> dict[str, Any]:
    """The plan that was printed."""
    assert ended.code == 0, ended.err
    plan: dict[str, Any] = json.loads(ended.out)
    return plan


def toml(value: object) -> str:
    """A value, as TOML has it."""
    match value:
        case dict():
            return f"{{ {', '.join(f'{key} = {toml(each)}' for key, each in value.items())} }}"
        case list() | tuple():
            return f"[{', '.join(toml(each) for each in value)}]"
        case _:
            return json.dumps(value, ensure_ascii=False)


@contextlib.contextmanager
def unplugged(environ: Mapping[str, str]) -> Iterator[dict[str, str]]:
    """The variables of a machine that no server answers: of a port that nobody listens at."""
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{nobody.getsockname()[1]}"
        told = dict.fromkeys(("MUSE_GIT_MIRROR", "MUSE_MODEL_MIRROR", "MUSE_UV_URL"), url)
        yield {**environ, **told, "MUSE_PIP_ARGS": f"--index-url {url} --retries 0"}


def copied(source: Path, target: Path, *, left: Path | None = None) -> None:
    """Copy a checkout, but one folder; a file of an environment or a model stays the same one.

    Models are known by their inodes, and environments are too large to be written each time.
    """

    def copy(old: str, new: str) -> None:
        if "/venv/" in old or "/models/" in old:
            os.link(old, new)
        else:
            shutil.copy2(old, new)

    def ignored(folder: str, names: list[str]) -> list[str]:
        return [name for name in names if Path(folder, name) == left]

    shutil.copytree(source, target, symlinks=True, copy_function=copy, ignore=ignored)


def restored(kept: Path, checkout: Path) -> None:
    """Have a checkout be as it was, but for the environment of the server: no test writes there."""
    environment = Path(".runtime", "server", "venv")
    beside = checkout.with_name("venv")
    there = (checkout / environment).is_dir()
    if there:
        (checkout / environment).rename(beside)
    shutil.rmtree(checkout)
    copied(kept, checkout, left=kept / environment if there else None)
    if there:
        beside.rename(checkout / environment)


def files_of(folder: Path) -> Mapping[str, bytes]:
    """Every file in a folder but what Python compiles, with its content."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }
