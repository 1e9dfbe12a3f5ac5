"""The command line: one module for each command.

Internal: see ``docs/architecture.md`` for what is public.
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer

from mrsne import __version__
from mrsne.cli.failures import failure, guarded
from mrsne.cli.text import printable

# by the name that is typed: the module, and the function in it
COMMANDS = {
    "demo": "demo",
    "map": "map_items",
    "fit": "fit",
    "view": "view",
    "place": "place",
    "update": "update",
    "compare": "compare",
    "export": "export",
    "regions": "regions",
    "evaluate": "evaluate",
    "plot": "plot",
    "reproduce": "reproduce",
    "info": "info",
    "warm-up": "warm_up",
}

app = typer.Typer(add_completion=False, no_args_is_help=True, rich_markup_mode="rich")
for name, function in COMMANDS.items():
    module = import_module(f"mrsne.cli.{name.replace('-', '_')}")
    app.command(name)(guarded(getattr(module, function)))


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
    """Return arguments without ``--debug``, which may stand anywhere, and whether it was there."""
    end = arguments.index("--") if "--" in arguments else len(arguments)
    options = [argument for argument in arguments[:end] if argument != "--debug"]
    return [*options, *arguments[end:]], len(options) < end


def with_text_files(arguments: Sequence[str]) -> list[str]:
    """Return the arguments of ``map`` with ``--text`` alone, as it is given for a folder, as ``--text-files``."""
    if "map" not in arguments[:1]:
        return list(arguments)
    found = list(arguments)
    for index, argument in enumerate(found):
        following = found[index + 1] if index + 1 < len(found) else "-"
        if argument == "--text" and (following.startswith("-") or Path(following).is_dir()):
            found[index] = "--text-files"
    return found
