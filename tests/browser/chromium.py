# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium for the checks of pages: Debian's browser and driver, through selenium."""

import base64
import contextlib
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By


@dataclass(frozen=True)
class View:
    """How a page is looked at: size in CSS pixels, on a phone or not, light or dark."""

    name: str
    width: int
    height: int
    is_phone: bool
    theme: str


VIEWS = tuple(
    View(f"{device}-{theme}", width, height, device == "phone", theme)
    for device, width, height in (("desktop", 1440, 900), ("phone", 390, 844))
    for theme in ("light", "dark")
)


def missing_programs():
    """What is not installed of browser and driver."""
    return [name for name in ("chromium", "chromedriver") if not shutil.which(name)]


class Browser:
    """One browser, whose page is loaded anew for each view."""

    def __init__(self, driver, downloads):
        self._driver = driver
        self.downloads = downloads

    def _devtools(self, command, **options):
        return self._driver.execute_cdp_cmd(command, options)

    def open(self, page, view, with_scripts=True, font=""):
        """Loads a file in a view. Without scripts none of the page runs. `font` replaces the page's
        own choice of fonts."""
        self._driver.get("about:blank")
        self.console()
        self._devtools(
            "Emulation.setDeviceMetricsOverride", width=view.width, height=view.height,
            deviceScaleFactor=2 if view.is_phone else 1, mobile=view.is_phone,
        )  # fmt: skip
        # Without motion a click lands where the element is.
        wishes = {"prefers-color-scheme": view.theme, "prefers-reduced-motion": "reduce"}
        features = [{"name": name, "value": value} for name, value in wishes.items()]
        self._devtools("Emulation.setEmulatedMedia", media="screen", features=features)
        self._devtools("Emulation.setScriptExecutionDisabled", value=not with_scripts)
        self._driver.get(page.resolve().as_uri())
        if font:
            rule = f"body{{font-family:{font}!important}}"
            self.run("const s = document.createElement('style'); s.textContent = arguments[0];"
                     "document.head.append(s);", rule)  # fmt: skip

    def run(self, script, *arguments):
        """What a function body returns in the page."""
        return self._driver.execute_script(script, *arguments)

    def click(self, selector):
        """A click of the mouse on an element, which fails if something lies over it."""
        self._driver.find_element(By.CSS_SELECTOR, selector).click()

    def console(self):
        """Messages of the console since the last call: errors and warnings."""
        entries = self._driver.get_log("browser")
        return [f"{entry['level']}: {entry['message']}" for entry in entries]

    def evaluate_without_scripts(self, expression):
        """The value of an expression in a page whose own scripts may not run."""
        answer = self._devtools("Runtime.evaluate", expression=expression, returnByValue=True)
        return answer["result"].get("value")

    def picture(self, path, top=0, height=None):
        """A screenshot of the page from `top`, of the whole page or of `height` pixels."""
        size = self._devtools("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": top, "width": size["width"],
                "height": min(height or 30000, size["height"] - top), "scale": 1}  # fmt: skip
        answer = self._devtools(
            "Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip
        )
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(base64.b64decode(answer["data"]))


@contextlib.contextmanager
def chromium():
    """A browser with an empty profile and a folder for downloads, both gone at the end."""
    with tempfile.TemporaryDirectory(prefix="ringlet-browser-") as folder:
        downloads = Path(folder) / "downloads"
        downloads.mkdir()
        options = Options()
        options.binary_location = shutil.which("chromium") or "chromium"
        for argument in (
            "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
            "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking",
            "--disable-component-update", "--font-render-hinting=none",
            f"--user-data-dir={folder}/profile",
        ):  # fmt: skip
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        preferences = {
            "download.default_directory": str(downloads),
            "download.prompt_for_download": False,
        }
        options.add_experimental_option("prefs", preferences)
        driver = webdriver.Chrome(
            options=options, service=Service(shutil.which("chromedriver") or "chromedriver")
        )
        try:
            yield Browser(driver, downloads)
        finally:
            driver.quit()
