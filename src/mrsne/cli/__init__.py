"""The command line: one module for each command.

Internal: see ``docs/architecture.md`` for what is public.
"""

import os
import sys
import traceback
import warnings
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

from mrsne import __version__
from mrsne.cli.failures import failure, guarded
from mrsne.cli.reporter import clipped, printable

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
    "search": "search",
    "suggest": "suggest",
    "check": "check",
    "evaluate": "evaluate",
    "plot": "plot",
    "reproduce": "reproduce",
    "log": "log",
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
    open_missing_streams()
    given, debug = without_debug(sys.argv[1:] if arguments is None else arguments)
    given = with_text_files(given)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always", UserWarning)
            warnings.showwarning = _show_as_note
            typer.main.get_command(app)(given, prog_name="mrsne")
    except (Exception, KeyboardInterrupt) as error:
        if debug:
            traceback.print_exception(error)
        found = failure(error, given)
        sys.stderr.write(f"mrsne: {printable(found.message, sys.stderr.encoding)}\n")
        sys.exit(found.code)


def open_missing_streams() -> None:
    """Discard what is printed to a stream that the shell has closed (``>&-``): a file opened later would get it."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 - until the process ends


def _show_as_note(message: Warning | str, category: type[Warning], *_where: Any, **_more: Any) -> None:
    """Show a warning that no command has caught, such as that an interrupted write was completed, as one line."""
    sys.stderr.write(f"note: {printable(clipped(str(message)), sys.stderr.encoding)}\n")


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
