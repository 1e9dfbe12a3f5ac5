"""The command line: one module for each command.

Internal: see ``docs/architecture.md`` for what is public.
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Sequence
from typing import Annotated

import typer

from mrsne import __version__
from mrsne.cli.compare import compare
from mrsne.cli.demo import demo
from mrsne.cli.evaluate import evaluate
from mrsne.cli.export import export
from mrsne.cli.failures import failure, guarded
from mrsne.cli.fit import fit
from mrsne.cli.info import info
from mrsne.cli.map import map_items
from mrsne.cli.place import place
from mrsne.cli.plot import plot
from mrsne.cli.regions import regions
from mrsne.cli.reproduce import reproduce
from mrsne.cli.table_options import with_text_files
from mrsne.cli.text import printable
from mrsne.cli.update import update
from mrsne.cli.view import view
from mrsne.cli.warm_up import warm_up

app = typer.Typer(add_completion=False, no_args_is_help=True, rich_markup_mode="rich")
app.command()(guarded(demo))
app.command("map")(guarded(map_items))
for command in (fit, view, place, update, compare, export, regions, evaluate, plot, reproduce, info, warm_up):
    app.command()(guarded(command))


def _print_version(wanted: bool) -> None:
    if wanted:
        sys.stdout.write(f"mrsne {__version__}\n")
        raise typer.Exit


@app.callback()
def _mrsne(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_print_version, is_eager=True)
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show the traceback of an error; before or after the command.")
    ] = False,
) -> None:
    """Put items of different kinds, and the links between them, into one map."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; users see messages, and tracebacks only with ``--debug``.

    Parameters
    ----------
    arguments : list of str, optional
        By default those that the program was started with.
    """
    given, debug = without_debug(sys.argv[1:] if arguments is None else arguments)
    given = with_text_files(given)
    try:
        typer.main.get_command(app)(given, prog_name="mrsne")
    except (Exception, KeyboardInterrupt) as error:
        if debug:
            traceback.print_exception(error)
        found = failure(error, given)
        sys.stderr.write(f"mrsne: {printable(found.message, sys.stderr.encoding)}\n")
        sys.exit(found.code)


def without_debug(arguments: Sequence[str]) -> tuple[list[str], bool]:
    """Return arguments without ``--debug``, which may stand anywhere, and whether it was there.

    Examples
    --------
    >>> without_debug(["info", "--debug", "map.npz"])
    (['info', 'map.npz'], True)
    """
    end = arguments.index("--") if "--" in arguments else len(arguments)
    options = [argument for argument in arguments[:end] if argument != "--debug"]
    return [*options, *arguments[end:]], len(options) < end
