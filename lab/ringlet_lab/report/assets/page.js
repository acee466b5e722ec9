// SPDX-License-Identifier: Apache-2.0
(() => {
  "use strict";
  const root = document.documentElement;
  const key = "ringlet-report-theme";
  const read = () => {
    // A browser may refuse storage to local files.
    try { return localStorage.getItem(key) || "auto"; } catch { return "auto"; }
  };
  const keep = (theme) => {
    try { localStorage.setItem(key, theme); } catch { return; }
  };
  const apply = (theme) => {
    if (theme === "auto") delete root.dataset.theme;
    else root.dataset.theme = theme;
    for (const button of document.querySelectorAll(".theme button")) {
      button.setAttribute("aria-pressed", String(button.value === theme));
    }
  };
  const download = (button) => {
    const text = document.getElementById(button.dataset.source).textContent;
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
    link.download = button.dataset.file;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  };
  root.classList.add("js");
  apply(read());
  document.addEventListener("DOMContentLoaded", () => {
    apply(read());
    document.addEventListener("click", (event) => {
      const button = event.target.closest("button");
      if (!button) return;
      if (button.dataset.source) download(button);
      else if (button.closest(".theme")) {
        keep(button.value);
        apply(button.value);
      }
    });
  });
})();
