"""The command line: one module for each command.

Internal: see ``docs/architecture.md`` for what is public.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from mrsne import __version__
from mrsne.cli.demo import demo
from mrsne.cli.evaluate import evaluate
from mrsne.cli.fit import fit
from mrsne.cli.info import info
from mrsne.cli.map import map_pictures
from mrsne.cli.place import place
from mrsne.cli.plot import plot
from mrsne.cli.reproduce import reproduce
from mrsne.cli.view import view

app = typer.Typer(add_completion=False, no_args_is_help=True, rich_markup_mode="rich")
app.command()(demo)
app.command("map")(map_pictures)
for command in (fit, view, place, evaluate, plot, reproduce, info):
    app.command()(command)


def _print_version(wanted: bool) -> None:
    if wanted:
        sys.stdout.write(f"mrsne {__version__}\n")
        raise typer.Exit


@app.callback()
def _mrsne(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Put items of different kinds, and the links between them, into one map."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; users see messages, not tracebacks.

    Parameters
    ----------
    arguments : list of str, optional
        By default those that the program was started with.
    """
    try:
        app(arguments, prog_name="mrsne")
    except (OSError, ValueError, ImportError) as error:
        sys.stderr.write(f"mrsne: {error}\n")
        sys.exit(1)
    except KeyboardInterrupt:
        sys.stderr.write("mrsne: interrupted\n")
        sys.exit(130)
