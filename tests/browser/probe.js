// SPDX-License-Identifier: Apache-2.0
// Measures what a reader sees of a report's page, for tests/browser/judge.py. Run as the body of a
// function in the page; its argument decides whether to open folded parts.
const [unfold] = arguments;
for (const details of document.querySelectorAll("details")) details.open = unfold;

const isShown = (element) => element.checkVisibility({ visibilityProperty: true });
const rectangle = (box) => [box.left, box.top, box.right, box.bottom].map(
  (value, index) => value + (index % 2 ? scrollY : scrollX));
const corners = ([left, top, right, bottom]) =>
  [[left, top], [right, top], [right, bottom], [left, bottom]];

// The box of an SVG text along its own direction: rotated text has a larger upright box.
const textCorners = (element) => {
  const box = element.getBBox();
  const matrix = element.getScreenCTM();
  return corners([box.x, box.y, box.x + box.width, box.y + box.height]).map(([x, y]) => {
    const point = new DOMPoint(x, y).matrixTransform(matrix);
    return [point.x + scrollX, point.y + scrollY];
  });
};

// Each line of each text of HTML. The lines of one text have the same `node`. A flag marks text
// that scrolls in its own box.
const htmlTexts = (root) => {
  const found = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let count = 0; walker.nextNode(); ++count) {
    const node = walker.currentNode;
    const parent = node.parentElement;
    if (!node.data.trim() || parent.closest("svg, script, style") || !isShown(parent)) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const size = parseFloat(getComputedStyle(parent).fontSize);
    for (const box of range.getClientRects()) {
      if (box.width < 0.5) continue;
      found.push({ text: node.data.trim().slice(0, 60), corners: corners(rectangle(box)), size,
        node: count, scrolls: Boolean(parent.closest(".scroll")) });
    }
  }
  return found;
};

const picture = (svg) => {
  const box = svg.getBoundingClientRect();
  const scale = box.width / svg.viewBox.baseVal.width;
  const plot = svg.querySelector(".plot path, path.plot");
  return {
    box: rectangle(box),
    plot: plot ? rectangle(plot.getBoundingClientRect()) : null,
    label: svg.querySelector("title")?.textContent ?? "",
    texts: [...svg.querySelectorAll("text")].map((text) => ({
      text: text.textContent, corners: textCorners(text),
      size: parseFloat(getComputedStyle(text).fontSize) * scale,
    })),
    marks: [...svg.querySelectorAll(".marks")].map((group) => ({
      series: Number(group.dataset.series),
      boxes: [...group.querySelectorAll(".mark")].filter(isShown).map(
        (mark) => rectangle(mark.getBoundingClientRect())),
    })),
  };
};

const cell = (element) => [...element.querySelectorAll("data")].map(
  (data) => [data.value, data.textContent]);
const table = (figure) => {
  const found = figure.querySelector("table");
  if (!found) return null;
  return {
    names: [...found.querySelectorAll("thead tr:first-child th")].slice(1).map(
      (head) => [head.textContent, head.colSpan]),
    rows: [...found.querySelectorAll("tbody tr")].map((row) => ({
      x: row.querySelector("th").textContent, cells: [...row.querySelectorAll("td")].map(cell) })),
  };
};

const figures = [...document.querySelectorAll("figure[data-chart]")].map((figure) => ({
  chart: figure.dataset.chart,
  box: rectangle(figure.getBoundingClientRect()),
  pictures: [...figure.querySelectorAll("svg.picture")].filter(isShown).map(picture),
  legend: [...figure.querySelectorAll(".legend span")].filter(isShown).map((e) => e.textContent),
  table: table(figure),
  data: JSON.parse(figure.querySelector("script[type='application/json']")?.textContent || "null"),
  button: figure.querySelector("button[data-source]")?.dataset.file ?? "",
}));

// Boxes that are wider than their container, except those that scroll.
const wide = [...document.querySelectorAll("body *:not(svg *)")].filter((element) =>
  isShown(element) && !element.closest(".scroll") && element.clientWidth > 0 &&
  element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).display !== "inline"
).map((element) => `${element.tagName.toLowerCase()}.${element.className?.baseVal ??
  element.className}`);

return {
  width: innerWidth,
  documentWidth: document.documentElement.scrollWidth,
  background: getComputedStyle(document.body).backgroundColor,
  report: JSON.parse(document.getElementById("report-data")?.textContent || "null"),
  texts: htmlTexts(document.body),
  figures,
  wide,
};
