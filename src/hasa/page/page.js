// What a page can do besides being read; all of it can be read without this. Words of marks at the pointer, tables
// sorted by a column, charts saved as files.
"use strict";

const tip = document.body.appendChild(Object.assign(document.createElement("div"), { id: "tip", hidden: true }));

function wordsAt(target) {
  const mark = target.closest && target.closest("svg.chart .mark");
  if (!mark) return "";
  const title = mark.querySelector("title"); // kept aside, or the browser would show it a second time
  if (title) { mark.dataset.words = title.textContent; title.remove(); mark.setAttribute("aria-label", mark.dataset.words); }
  return mark.dataset.words || "";
}

function showTip(event) {
  const words = wordsAt(event.target);
  tip.hidden = !words;
  if (!words) return;
  tip.textContent = words;
  const box = tip.getBoundingClientRect();
  tip.style.left = Math.max(4, Math.min(event.clientX + 12, innerWidth - box.width - 4)) + "px";
  tip.style.top = (event.clientY > box.height + 16 ? event.clientY - box.height - 12 : event.clientY + 16) + "px";
}
document.addEventListener("pointermove", showTip);
document.addEventListener("pointerdown", showTip);
document.addEventListener("scroll", () => { tip.hidden = true; }, { passive: true });

function valueOf(row, column) {
  const cell = row.cells[column];
  return cell.dataset.value !== undefined ? Number(cell.dataset.value) : cell.textContent;
}

function compare(a, b) {
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1; // empty cells last
  return a.localeCompare(b, undefined, { numeric: true });
}

function sortBy(table, column) {
  const heads = [...table.tHead.rows[0].cells], head = heads[column];
  const first = head.classList.contains("number") ? "descending" : "ascending";
  const other = first === "ascending" ? "descending" : "ascending";
  const order = head.getAttribute("aria-sort") === first ? other : first;
  heads.forEach((each) => each.removeAttribute("aria-sort"));
  head.setAttribute("aria-sort", order);
  const sign = order === "ascending" ? 1 : -1;
  const rows = [...table.tBodies[0].rows].sort((a, b) => sign * compare(valueOf(a, column), valueOf(b, column)));
  table.tBodies[0].append(...rows);
}

function makeSortable(table) {
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    const button = Object.assign(document.createElement("button"), { type: "button", textContent: head.textContent });
    button.addEventListener("click", () => sortBy(table, column));
    head.replaceChildren(button);
  });
}
document.querySelectorAll("table.sortable").forEach(makeSortable);

function savedSvg(figure) {
  const svg = figure.querySelector("svg").cloneNode(true);
  const [, , width, height] = svg.getAttribute("viewBox").split(" ").map(Number);
  svg.setAttribute("viewBox", `-12 -12 ${width + 24} ${height + 24}`);
  svg.setAttribute("width", width + 24);
  svg.setAttribute("height", height + 24);
  const style = document.createElementNS(svg.namespaceURI, "style"); // the light colours, on white
  style.textContent = document.getElementById("chart-style").textContent + "svg { background: #fff; }";
  svg.prepend(style);
  return new XMLSerializer().serializeToString(svg);
}

function addSaving(figure) {
  const button = Object.assign(document.createElement("button"), { className: "save", type: "button", textContent: "save as SVG" });
  button.addEventListener("click", () => {
    const file = URL.createObjectURL(new Blob([savedSvg(figure)], { type: "image/svg+xml" }));
    Object.assign(document.createElement("a"), { href: file, download: figure.id + ".svg" }).click();
    URL.revokeObjectURL(file);
  });
  figure.append(button);
}
document.querySelectorAll("figure").forEach((figure) => { if (figure.querySelector("svg.chart")) addSaving(figure); });
