# SPDX-License-Identifier: Apache-2.0
"""Opens the documentation site in a headless browser: searches for what people type, and asserts
that the right page is among the first three; looks at every page on a phone, and asserts that
nothing but what scrolls inside its own box is wider than the screen.
"""

import sys
import time
from pathlib import Path

from chromium import VIEWS, chromium, missing_programs

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / "build" / "docs" / "html"
FIRST = 3
# The searched words -> the pages one of which answers them.
SEARCHES = {
    "pandas": "python", "argmax": "arrays", "dot product": "circuits",
    "rotate": "course/3_vectors", "bootstrap": "index",
    "precision": "howto/find_lost_precision course/4_real_numbers",
    "noise budget": "course/2_multiply", "pickle": "howto/keys_and_ciphertexts",
    "client server": "course/5_client_and_server", "memory": "python", "threads": "python",
    "GPU": "howto/run_on_a_gpu", "install": "install", "wheel": "install", "Windows": "install",
    "macOS": "install", "ARM": "install", "AVX-512": "kernel_selection", "HEXL": "hexl",
    "SEAL": "howto/coming_from_seal", "TenSEAL": "howto/coming_from_tenseal",
    "matrix": "circuits", "mean": "circuits", "compare": "circuits", "lookup": "circuits",
    "save keys": "howto/keys_and_ciphertexts", "security level": "parameters",
    "benchmark": "measured", "paper": "papers", "licence": "CONTRIBUTING",
    "OpenFHE": "howto/coming_from_openfhe", "which scheme": "howto/choose_a_scheme",
}  # fmt: skip
RESULTS = """return [...document.querySelectorAll('#search-results ul.search > li > a')]
    .map(a => new URL(a.href).pathname);"""
# Elements that reach beyond the screen, unless a box of scrolling text contains them.
TOO_WIDE = """
const width = document.documentElement.clientWidth;
const scrolls = e => e.tagName !== 'ARTICLE'
    && (getComputedStyle(e).overflowX !== 'visible' || scrolls(e.parentElement));
const wide = [...document.querySelectorAll('article *')].filter(
    e => e.getBoundingClientRect().right > width + 1 && !scrolls(e.parentElement));
return wide.map(e => e.outerHTML.slice(0, 120));"""
# Whether icons of the header touch each other.
TOUCHING = """
const boxes = [...document.querySelectorAll('.mobile-header label, .mobile-header button')]
    .map(e => e.getBoundingClientRect()).filter(b => b.width > 0).sort((a, b) => a.left - b.left);
return boxes.some((b, i) => i > 0 && b.left < boxes[i - 1].right + 2);"""


def found_by(browser, view, words):
    """The first pages that the search shows for these words."""
    browser.open(SITE / "search.html", view)
    browser.run(f"location.search = '?q=' + encodeURIComponent({words!r});")
    deadline = time.monotonic() + 20
    shown = before = None
    while time.monotonic() < deadline and (not shown or shown != before):
        time.sleep(0.3)
        before, shown = shown, browser.run(RESULTS)
    pages = [path.partition("/docs/html/")[2].removesuffix(".html") for path in shown or ()]
    return list(dict.fromkeys(pages))[:FIRST]


def problems(browser):
    """What is wrong, a line each."""
    desktop, phone = VIEWS[0], next(view for view in VIEWS if view.is_phone)
    browser.open(SITE / "index.html", phone)
    browser.run("""document.querySelector('article').insertAdjacentHTML('beforeend',
        '<p style="width: 2000px">planted</p>');""")
    if "planted" not in "".join(browser.run(TOO_WIDE)):
        yield "a paragraph that is too wide is not found"
    for words, wanted in SEARCHES.items():
        pages = found_by(browser, desktop, words)
        if not set(pages) & set(wanted.split()):
            yield f"a search for {words!r} shows {', '.join(pages) or 'nothing'} and not {wanted}"
    for page in sorted(SITE.rglob("*.html")):
        name = str(page.relative_to(SITE))
        browser.open(page, phone)
        yield from (f"{name} on a phone: {text} is too wide" for text in browser.run(TOO_WIDE)[:2])
        if browser.run(TOUCHING):
            yield f"{name} on a phone: icons of the header touch"


def main():
    missing = missing_programs()
    if missing:
        sys.exit(f"{' and '.join(missing)} missing: run scripts/setup.sh browser")
    if not (SITE / "searchindex.js").is_file():
        sys.exit("no site in build/docs/html: run make docs")
    with chromium() as browser:
        found = list(problems(browser))
    for problem in found:
        print(f"FAIL site: {problem}")
    pages = len(list(SITE.rglob("*.html")))
    print(f"{len(SEARCHES)} searches, {pages} pages, {len(found)} problems")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
