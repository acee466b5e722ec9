# SPDX-License-Identifier: Apache-2.0
"""`ringlet completion`."""

from __future__ import annotations

from typing import Annotated

import typer

from ..console import COMPLETION_VARIABLE
from ..errors import InvalidArgument

_SHELLS = ("bash", "zsh", "fish")


def completion(
    shell: Annotated[str, typer.Argument(metavar="SHELL", help="bash, zsh or fish.")],
) -> None:
    """Print the completion script for your shell.

    bash: add eval "$(ringlet completion bash)" to ~/.bashrc.
    zsh: add eval "$(ringlet completion zsh)" to ~/.zshrc.
    fish: ringlet completion fish > ~/.config/fish/completions/ringlet.fish
    """
    from typer.completion import get_completion_script

    if shell not in _SHELLS:
        raise InvalidArgument(
            "ringlet completion", shell, ", ".join(_SHELLS), "pass the name of your shell"
        )
    script = get_completion_script(
        prog_name="ringlet", complete_var=COMPLETION_VARIABLE, shell=shell
    )
    typer.echo(script)
