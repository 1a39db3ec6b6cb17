"""The `headgate` command: flags in, an exit code out. Builds everything, decides nothing.

`run` is the controller inside Kubernetes, `serve` runs nginx from a folder, `render` prints what nginx would get, `lint` prints what is wrong, `docs` prints reference pages.
Each lives in a module of its own, which is imported only when asked for.
"""

import argparse
import sys
from collections.abc import Sequence

from headgate import __version__
from headgate.cli.flags import add_input, add_listeners, add_reading, add_serving, add_target
from headgate.errors import Unusable


def main(argv: Sequence[str] | None = None) -> int:
    words = list(sys.argv[1:] if argv is None else argv)
    try:
        if words[:1] == ["run"]:  # F5's flags have a syntax of their own
            from headgate.cli.run import run

            return run(words[1:])
        return _run(parser().parse_args(words))
    except Unusable as why:
        print(f"headgate: {why}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # `headgate render … | head`
        sys.stderr.close()
        return 0


def _run(arguments: argparse.Namespace) -> int:
    match arguments.command:
        case "serve":
            from headgate.cli.serve import serve

            return serve(arguments)
        case "render":
            from headgate.cli.render import render_command

            return render_command(arguments)
        case "lint":
            from headgate.cli.lint import lint

            return lint(arguments)
        case _:
            from headgate.cli.docs import docs

            return docs(arguments)


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(
        prog="headgate", description="Runs nginx as an ingress controller from a folder of Kubernetes manifests."
    )
    top.add_argument("--version", action="version", version=f"headgate {__version__}")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")

    commands.add_parser(
        "run", help="run as the ingress controller of a Kubernetes cluster (headgate run -help)", add_help=False
    )
    serve = commands.add_parser("serve", help="serve a folder of manifests with nginx, and follow its changes")
    serve.add_argument("folder", metavar="FOLDER", help="a folder of manifests, or a single file")
    add_reading(serve)
    add_listeners(serve)
    add_serving(serve)

    render = commands.add_parser("render", help="print the configuration that nginx would get")
    add_input(render)
    add_reading(render)
    add_listeners(render)
    add_target(render)

    lint = commands.add_parser("lint", help="print what is wrong with manifests; exit 1 on errors")
    add_input(lint)
    add_reading(lint)
    add_target(lint)
    lint.add_argument("--format", choices=("text", "json", "github"), default="text", help="default: text")

    docs = commands.add_parser("docs", help="print reference pages")
    docs.add_argument("page", choices=("annotations", "configmap", "flags"), help="which page")
    return top
