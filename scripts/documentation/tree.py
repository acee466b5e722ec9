# SPDX-License-Identifier: Apache-2.0
"""Lays out the pages of the site in one folder, and changes their links.

Sphinx reads one folder. The pages stay where readers of the repository look for them, with links
that work there. Copies of them go into a folder below build/docs, with the links of the site: a
link to a page or picture of the site leads to it. A link to another file of the repository, such as
a header, becomes the path of the file beside the text. A link to a missing file is a problem that
fails the build.
"""

import os
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "docs"
SOURCE = BUILD / "source"

# Pages outside of docs/.
OUTSIDE = (
    "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "examples/applications/README.md",
    "examples/data/README.md", "hw/karatsuba/README.md",
    "hw/karatsuba/rtl/resident/README.md",
)  # fmt: skip
KINDS = {".md", ".svg", ".png"}
FRONT = "docs/start.md"

FENCE = re.compile(r"^\s*(`{3,}|~{3,})")
CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`).+?(?<!`)\1(?!`)", re.DOTALL)
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(([^()\s]+)\)")
ABSOLUTE = re.compile(r"^(?:[a-z]+:|#|/)")
HIDDEN = re.compile(r"\0(\d+)\0")


def pages(root=ROOT):
    """Returns the path in the site of each page and picture, by its path in the repository."""
    found = {
        str(path.relative_to(root)): str(path.relative_to(root / "docs"))
        for path in sorted((root / "docs").rglob("*"))
        if path.suffix in KINDS and path.is_file()
    }
    found |= {name: name for name in OUTSIDE if (root / name).is_file()}
    return found | {name: "index.md" for name in found if name == FRONT}


def outside_fences(text, change):
    """Returns the text with `change` applied to every part outside of fenced blocks."""
    parts = []
    prose = []
    fence = ""
    for line in text.splitlines(keepends=True):
        mark = FENCE.match(line)
        if fence:
            parts.append(line)
            if mark and mark[1].startswith(fence):
                fence = ""
        elif mark:
            parts += [change("".join(prose)), line]
            prose, fence = [], mark[1]
        else:
            prose.append(line)
    return "".join([*parts, change("".join(prose))])


class Links:
    """Rewrites the links of pages and collects their problems."""

    def __init__(self, places, root=ROOT):
        self.places = places
        self.root = root
        self.problems = []

    def target(self, page, picture, text, target):
        """Returns one link of the page at this path of the repository, changed for the site."""
        path, _, anchor = target.partition("#")
        meant = os.path.normpath(os.path.join(os.path.dirname(page), path))
        if meant in self.places:
            place = os.path.relpath(self.places[meant], os.path.dirname(self.places[page]) or ".")
            return f"{picture}[{text}]({place}{'#' + anchor if anchor else ''})"
        if meant.startswith("..") or not (self.root / meant).exists():
            self.problems.append(f"{page}: the link to {target} leads nowhere")
        plain = text.strip("`")
        return f"`{plain}`" if plain == meant else f"{text} (`{meant}`)"

    def rewrite(self, page, text):
        """Returns the text of a page with the site's links and without comments. Every line keeps
        its number."""
        return outside_fences(text, lambda prose: self._prose(page, prose))

    def _prose(self, page, prose):
        spans = []

        def hide(match):
            spans.append(match[0])
            return f"\0{len(spans) - 1}\0"

        def show(shown):
            return HIDDEN.sub(lambda match: spans[int(match[1])], shown)

        def link(match):
            picture, text, target = match[1], show(match[2]), match[3]
            if ABSOLUTE.match(target):
                return match[0]
            return self.target(page, picture, text, target)

        bare = COMMENT.sub(lambda match: "\n" * match[0].count("\n"), prose)
        return show(LINK.sub(link, CODE_SPAN.sub(hide, bare)))


def write_if_changed(path, data):
    """Writes a file unless it already holds the data. Sphinx then need not read an unchanged file
    again."""
    if not path.is_file() or path.read_bytes() != data:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def lay_out(generated, additions_to, folder=SOURCE):
    """Updates the folder: pages, pictures, and generated pages (path in the site -> text).
    `additions_to` receives the names of all pages and returns the text to append to each page.
    Returns the problems of links.
    """
    places = pages()
    links = Links(places)
    wanted = {}
    for name, place in places.items():
        data = (ROOT / name).read_bytes()
        if name.endswith(".md"):
            data = links.rewrite(name, data.decode()).encode()
        wanted[place] = data
    wanted |= {place: text.encode() for place, text in generated.items()}
    names = {place.removesuffix(".md") for place in wanted if place.endswith(".md")}
    for name, text in additions_to(names).items():
        if name in names:
            wanted[f"{name}.md"] += text.encode()
        else:
            links.problems.append(f"navigation.py names {name}, and there is no such page")
    for place, data in wanted.items():
        write_if_changed(folder / place, data)
    remove_others(folder, wanted)
    return links.problems


def remove_old_pages(html=BUILD / "html"):
    """Removes pages of earlier builds. Sphinx does not remove them."""
    own = {"genindex", "search", "py-modindex", "cpp-modindex"}
    for path in html.rglob("*.html"):
        name = path.relative_to(html).with_suffix("")
        if str(name) not in own and not (SOURCE / f"{name}.md").is_file():
            path.unlink()


def remove_others(folder, wanted):
    """Removes all files below the folder that are not in `wanted`."""
    kept = {folder / place for place in wanted}
    for path in folder.rglob("*"):
        if path.is_file() and path not in kept:
            path.unlink()
