# SPDX-License-Identifier: Apache-2.0
"""The page on the command: every subcommand with its arguments and options, as the command itself
has them.

Run as a program it prints the page; the site's generator does so in a process of its own, with the
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
    """Help text in one line for a table."""
    return " ".join((text or "").split()).replace("|", "\\|").replace("<", "\\<")


def leaves(command, name):
    """Every command that does something, with its whole name."""
    if not hasattr(command, "list_commands"):
        yield name, command
        return
    for child_name in command.list_commands(None):
        yield from leaves(command.get_command(None, child_name), f"{name} {child_name}")


def row(parameter):
    """The row of one option or argument."""
    names = [*parameter.opts, *parameter.secondary_opts]
    if parameter.param_type_name == "argument":
        names = [parameter.name.upper()]
    default = parameter.default
    shown = "" if default in (None, False, ()) or callable(default) else str(default)
    what = plain(getattr(parameter, "help", ""))
    code = ", ".join(f"`{name}`" for name in names)
    return f"| {code} | {what} | {f'`{shown}`' if shown else ''} |"


def section(name, command):
    """The section of one command."""
    lines = [f"## `{name}`", "", *paragraphs(command.help), ""]
    parameters = [p for p in command.params if not getattr(p, "hidden", False)]
    if parameters:
        lines += ["| option or argument | what it does | without it |", "|---|---|---|"]
        lines += [row(parameter) for parameter in parameters] + [""]
    return lines


def paragraphs(text):
    """Help text with its paragraphs."""
    parts = (text or "").replace("\b", "").split("\n\n")
    return "\n\n".join(plain(part) for part in parts).splitlines()


def page():
    """The text of the page, by the package that is installed."""
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
