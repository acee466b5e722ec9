# SPDX-License-Identifier: Apache-2.0
"""Writes the page on the command: every subcommand with its arguments and options, read from the
command itself.

Run as a program, it prints the page. The site's generator runs it in a process of its own, with the
real package.
"""

import subprocess
import sys
from pathlib import Path

HEAD = """\
# The command `ringlet`

Every subcommand with its arguments and options, written by the command itself; `ringlet COMMAND
--help` shows the same. [command.md](../command.md) tells what all of them share.

"""


def plain(text):
    """Returns a help text as one line for a table."""
    return " ".join((text or "").split()).replace("|", "\\|").replace("<", "\\<")


def leaves(command, name):
    """Yields every command that does something, with its full name."""
    if not hasattr(command, "list_commands"):
        yield name, command
        return
    for child_name in command.list_commands(None):
        yield from leaves(command.get_command(None, child_name), f"{name} {child_name}")


def row(parameter):
    """Returns the table row of one option or argument."""
    names = [*parameter.opts, *parameter.secondary_opts]
    if parameter.param_type_name == "argument":
        names = [parameter.name.upper()]
    default = parameter.default
    shown = "" if default in (None, False, ()) or callable(default) else str(default)
    what = plain(getattr(parameter, "help", ""))
    code = ", ".join(f"`{name}`" for name in names)
    return f"| {code} | {what} | {f'`{shown}`' if shown else ''} |"


def section(name, command):
    """Returns the section of one command."""
    lines = [f"## `{name}`", "", *paragraphs(command.help), ""]
    parameters = [p for p in command.params if not getattr(p, "hidden", False)]
    if parameters:
        lines += ["| option or argument | what it does | without it |", "|---|---|---|"]
        lines += [row(parameter) for parameter in parameters] + [""]
    return lines


def paragraphs(text):
    """Returns a help text with its paragraphs."""
    parts = (text or "").replace("\b", "").split("\n\n")
    return "\n\n".join(plain(part) for part in parts).splitlines()


def page():
    """Returns the text of the page, from the installed package."""
    command = [sys.executable, str(Path(__file__).resolve())]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode:
        sys.exit(f"docs: the command cannot be read: {run.stderr.strip().splitlines()[-1]}")
    return run.stdout


def main():
    """Prints the page."""
    import typer.main
    from ringlet.cli import app

    lines = HEAD.splitlines() + [""]
    for name, command in leaves(typer.main.get_command(app), "ringlet"):
        lines += section(name, command)
    print("\n".join(lines))


if __name__ == "__main__":
    main()
