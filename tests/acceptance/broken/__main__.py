"""Start a broken server in front of a sound one.

    python -m tests.acceptance.broken leaky|lying --target http://127.0.0.1:3939

It listens on a free loopback port, says `broken ready http://127.0.0.1:PORT` in its first line, and
ends with SIGTERM, or by itself when the process that started it is gone.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import socket
import sys

import uvicorn

from tests.acceptance.broken.faults import FAULTS
from tests.acceptance.broken.proxy import Proxy

LOOK_S = 0.5
"""How often it looks whether somebody still wants it."""


async def serve(app: Proxy, parent: int) -> None:
    """Serve until told to end, or until the parent is another one."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(128)
        config = uvicorn.Config(
            app, log_level="warning", lifespan="off", server_header=False, date_header=False
        )
        server = uvicorn.Server(config)
        port = listening.getsockname()[1]
        sys.stdout.write(f"broken ready http://127.0.0.1:{port}\n")
        sys.stdout.flush()
        serving = asyncio.ensure_future(server.serve([listening]))
        while not serving.done():
            await asyncio.wait({serving}, timeout=LOOK_S)
            if os.getppid() != parent:
                server.should_exit = server.force_exit = True
        await serving


def main() -> None:
    """Read the arguments and serve."""
    parser = argparse.ArgumentParser(prog="python -m tests.acceptance.broken")
    parser.add_argument("fault", choices=sorted(FAULTS))
    parser.add_argument("--target", required=True, metavar="URL")
    options = parser.parse_args()
    asyncio.run(serve(Proxy(FAULTS[options.fault](), options.target), os.getppid()))


if __name__ == "__main__":
    main()
