# SPDX-License-Identifier: Apache-2.0
"""Opens the page of `ringlet report` in a headless browser, on a desktop and on a phone, by day and
by night, and asserts on what is drawn: every chart with a mark for each value, no message in the
console, no text over another or outside of its place, tables and downloads with the report's own
numbers, and all of it without scripts too.

Without --report it makes a report first: `ringlet report --quick`, in a folder of its own. The
checks themselves are tried on pages with planted defects.
"""

import argparse
import dataclasses
import json
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).resolve().parents[2]
for folder in ("tests/structure", "lab/tests", "tests/browser"):
    sys.path.insert(0, str(ROOT / folder))

import judge  # noqa: E402
from chromium import VIEWS, chromium, missing_programs  # noqa: E402
from planted import DEFECTS  # noqa: E402
from report import report as run_checks  # noqa: E402
from report_samples import sample_comparison, sample_report  # noqa: E402

Check = tuple[str, list[str]]
PROBE = (Path(__file__).parent / "probe.js").read_text(encoding="utf-8")
QUICK_SECONDS = 900
DOWNLOAD_SECONDS = 10
DESKTOP, PHONE = VIEWS[0], next(view for view in VIEWS if view.is_phone)
# Widths between and below those of the views, and a font that is wider than most.
OTHER_WIDTHS = (320, 600, 720, 900, 1200)
WIDE_FONT = "'DejaVu Sans'"
# At a width of 320 pixels the page shrinks pictures, with all its content.
LEAST_TEXT_NARROW = 9.5


def brightness(color):
    """0 to 1 of a color as the browser says it: rgb(1, 2, 3)."""
    return sum(map(int, re.findall(r"\d+", color)[:3])) / 765


def theme_problems(seen, theme):
    """The page is light by day and dark by night."""
    light = brightness(seen["background"])
    is_right = light > 0.85 if theme == "light" else light < 0.2
    return [] if is_right else [f"the page is {seen['background']} in the {theme} theme"]


def view_problems(browser, page, view, report):
    """Problems by check of a page in one view; without a report, the page's own is taken."""
    browser.open(page, view)
    seen = browser.run(PROBE, False)
    report = report or seen["report"]
    found = {
        "charts drawn": judge.drawn(seen, report),
        "texts apart": judge.apart(seen),
        "texts inside": judge.inside(seen),
        "texts legible": judge.legible(seen),
        "data": judge.data(seen, report),
        "theme": theme_problems(seen, view.theme),
    }
    unfolded = browser.run(PROBE, True)
    found["tables"] = judge.tables(unfolded, report)
    found["texts inside, unfolded"] = judge.inside(unfolded)
    found["console"] = browser.console()
    return found


# An available font gives one width whatever the fallback is; a missing font gives two.
_HAS_FONT = """
const element = document.body.appendChild(document.createElement("span"));
element.textContent = "mmmmiiiiWWWW";
const widths = ["serif", "monospace"].map((other) => {
  element.style.cssText = `font: 100px ${arguments[0]}, ${other}; position: absolute; left: 0`;
  return element.offsetWidth;
});
element.remove();
return widths[0] === widths[1];"""


def layout_problems(browser, page, view, font=""):
    """Of one more size or font: only where texts are."""
    browser.open(page, view, font=font)
    if font and not browser.run(_HAS_FONT, font):
        return [f"the font {font} is not installed: apt install fonts-dejavu-core"]
    seen = browser.run(PROBE, False)
    least = LEAST_TEXT_NARROW if view.width < PHONE.width else judge.LEAST_TEXT
    return judge.apart(seen) + judge.inside(seen) + judge.legible(seen, least)


def theme_switch(browser, page, view):
    """The reader's choice comes before the system's, and stays."""
    browser.open(page, view)
    problems = []
    for theme in ("dark", "light"):
        browser.click(f".theme button[value={theme}]")
        problems += theme_problems(browser.run(PROBE, False), theme)
        browser.open(page, view)
        problems += theme_problems(browser.run(PROBE, False), theme)
    browser.click(".theme button[value=auto]")
    return problems + theme_problems(browser.run(PROBE, False), view.theme)


def downloads(browser, page, report):
    """A click on each button writes a file with the report's values."""
    browser.open(page, DESKTOP)
    charts = {c["id"]: c for section in report["sections"] for c in section["charts"]}
    wanted = {
        "ringlet-report.json": lambda given: [] if given == report else ["another report"]
    }
    for figure in browser.run(PROBE, False)["figures"]:
        chart = charts[figure["chart"]]
        wanted[figure["button"]] = lambda given, chart=chart: judge.chart_data(chart, given)
    if len(wanted) != len(charts) + 1:
        return [f"{len(wanted)} files to download of {len(charts)} charts and the report"]
    problems = []
    for name, judged in wanted.items():
        target = browser.downloads / name
        # The browser drops downloads beyond ten a second.
        time.sleep(0.15)
        browser.click(f'button[data-file="{name}"]')
        ends = time.monotonic() + DOWNLOAD_SECONDS
        while not target.is_file() and time.monotonic() < ends:
            time.sleep(0.02)
        if target.is_file():
            problems += judged(json.loads(target.read_text(encoding="utf-8")))
            target.unlink()
        else:
            problems.append(f"{name} was not written within {DOWNLOAD_SECONDS} s of the click")
    return problems


# The boxes of pictures, and the number of visible buttons, which need a script.
_WITHOUT_SCRIPTS = """JSON.stringify({
  pictures: [...document.querySelectorAll('figure svg.picture')].map(
    (svg) => [svg.closest('figure').dataset.chart, svg.getBoundingClientRect().width,
              svg.querySelectorAll('.mark').length]).filter((seen) => seen[1] > 0),
  buttons: [...document.querySelectorAll('button')].filter((b) => b.checkVisibility()).length,
  ran: document.documentElement.classList.contains('js')})"""


def without_scripts(browser, page, view, report):
    """Charts are there, and no button that would do nothing."""
    browser.open(page, view, with_scripts=False)
    seen = json.loads(browser.evaluate_without_scripts(_WITHOUT_SCRIPTS))
    shown = {chart: marks for chart, _, marks in seen["pictures"]}
    problems = ["a script of the page ran"] if seen["ran"] else []
    if seen["buttons"]:
        problems.append(f"{seen['buttons']} buttons that do nothing are shown")
    for section in report["sections"]:
        for chart in section["charts"]:
            count = sum(len(series["points"]) for series in chart["series"])
            if shown.get(chart["id"], 0) < count:
                problems.append(f"{chart['id']}: {shown.get(chart['id'], 0)} of {count} marks")
    return problems


def page_checks(browser, name, page, report=None):
    for view in VIEWS:
        for check, problems in view_problems(browser, page, view, report).items():
            yield f"{name}, {view.name}: {check}", problems
    report = report or browser.run(PROBE, False)["report"]
    for view in (DESKTOP, PHONE):
        yield f"{name}, {view.name}: theme switch", theme_switch(browser, page, view)
        yield f"{name}, {view.name}: without scripts", without_scripts(browser, page, view, report)
        yield f"{name}, {view.name}: wide font", layout_problems(browser, page, view, WIDE_FONT)
    for width in OTHER_WIDTHS:
        view = dataclasses.replace(PHONE if width < 720 else DESKTOP, width=width)
        yield f"{name}, {width} pixels wide: texts", layout_problems(browser, page, view)
    yield f"{name}: downloads", downloads(browser, page, report)


def planted_checks(browser, folder, good):
    """Each planted defect is found by its check, and the good page has no problem."""
    page = folder / "planted.html"
    page.write_text(good, encoding="utf-8")
    left = {k: v for k, v in view_problems(browser, page, DESKTOP, None).items() if v}
    yield "self-test: the page without defects is good", [f"{k}: {v}" for k, v in left.items()]
    report = browser.run(PROBE, False)["report"]
    for defect in DEFECTS:
        page.write_text(defect.plant(good), encoding="utf-8")
        found = view_problems(browser, page, DESKTOP, report)
        missed = [] if found[defect.found_by] else [f"'{defect.found_by}' found nothing"]
        yield f"self-test: {defect.name} is found", missed


def make_report(folder):
    """Runs the command as a user does; the page's path, and what went wrong."""
    command = [sys.executable, "-m", "ringlet", "report", "--quick", "--output", str(folder)]
    ended = subprocess.run(
        command, capture_output=True, text=True, timeout=QUICK_SECONDS, check=False
    )
    page = folder / "ringlet-report.html"
    if ended.returncode == 0 and page.is_file():
        return page, []
    return page, [f"status {ended.returncode}", *(ended.stdout + ended.stderr).splitlines()[-20:]]


# Where the small picture of each view starts: at an element, or at the top of the page.
PARTS = {
    "desktop-light": "",
    "desktop-dark": "[data-chart^='noise']",
    "phone-light": "",
    "phone-dark": "[data-chart^='operations']",
}
PART_MARGIN = 32
PART_HEIGHTS, PART_WIDTHS = {False: 1440, True: 1000}, {False: 1000, True: 480}
_TOP = """return (document.querySelector(arguments[0]) ?? document.querySelector("figure"))
  .getBoundingClientRect().top + scrollY;"""


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--report", type=Path, help="a page to check, instead of making one")
    parser.add_argument("--screenshots", type=Path, help="folder for pictures of the whole page")
    parser.add_argument("--pictures", type=Path, help="folder for small pictures of its parts")
    parser.add_argument("--xml", type=Path, help="write the outcome as JUnit XML")
    return parser.parse_args()


def take_screenshots(browser, page, folder):
    """The whole page in every view."""
    for view in VIEWS:
        browser.open(page, view)
        browser.picture(folder / f"{view.name}.png")


def take_pictures(browser, page, folder):
    """Small pictures of a part of every view, for the documentation."""
    for view in VIEWS:
        browser.open(page, view)
        top = browser.run(_TOP, PARTS[view.name]) - PART_MARGIN if PARTS[view.name] else 0
        target = folder / f"{view.name}.png"
        browser.picture(target, top, PART_HEIGHTS[view.is_phone])
        with Image.open(target) as picture:
            width = PART_WIDTHS[view.is_phone]
            size = (width, round(picture.height * width / picture.width))
            small = picture.convert("RGB").resize(size, Image.Resampling.LANCZOS)
        # MAXCOVERAGE keeps rare colours: lines are thin, so that their colours are not frequent.
        method = Image.Quantize.MAXCOVERAGE
        small.quantize(256, method, kmeans=1, dither=Image.Dither.NONE).save(target, optimize=True)


def checks(options):
    missing = missing_programs()
    yield "the browser is installed", [f"{name} is missing: apt install it" for name in missing]
    if missing:
        return
    from ringlet_lab.report.page import render_page

    with tempfile.TemporaryDirectory(prefix="ringlet-report-") as name, chromium() as browser:
        folder = Path(name)
        yield from planted_checks(browser, folder, render_page(sample_report()))
        sample = folder / "sample.html"
        text = render_page(sample_report(is_nasty=True), sample_comparison(is_nasty=True))
        sample.write_text(text, encoding="utf-8")
        yield from page_checks(browser, "hard cases", sample)
        page = options.report
        if page is None:
            page, problems = make_report(folder / "made")
            yield "ringlet report --quick", problems
            if problems:
                return
        data = page.with_suffix(".json")
        report = json.loads(data.read_text(encoding="utf-8")) if data.is_file() else None
        yield from page_checks(browser, "report", page, report)
        if options.screenshots:
            take_screenshots(browser, page, options.screenshots)
        if options.pictures:
            take_pictures(browser, page, options.pictures)


if __name__ == "__main__":
    options = arguments()
    sys.exit(run_checks("browser", checks(options), options.xml))
