// A line over epochs, drawn as the reports draw theirs: same sizes, same classes (chart.css).
import {figure, make, makeSvg} from "./dom.js";

const kWidth = 480, kHeight = 230;
const kLeft = 46, kRight = 12, kTop = 12, kBottom = 34;

/// Round steps of 1, 2 or 5 times a power of ten, about `count` of them.
function ticks(low, high, wanted) {
  const rough = (high - low) / wanted || 1, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((each) => each >= rough * 0.999);
  const first = Math.ceil(low / step - 1e-9), found = [];
  for (let i = first; i * step <= high + 1e-9 * step; ++i) found.push(i * step);
  return found;
}

const short = (value) =>
    figure(Number(value.toPrecision(3)), Math.max(0, 3 - Math.max(0, Math.ceil(Math.log10(Math.abs(value) || 1)))));

/// points: [{ x, y }], by rising x.
export function curve({title, remark, points, series = 0}) {
  const xs = points.map(({x}) => x), ys = points.map(({y}) => y);
  const lowX = Math.min(...xs), highX = Math.max(...xs, lowX + 1),
        pad = (Math.max(...ys) - Math.min(...ys)) * 0.08 || Math.abs(ys[0]) * 0.1 || 0.1;
  const lowY = Math.max(Math.min(...ys) - pad, Math.min(...ys) >= 0 ? 0 : -Infinity), highY = Math.max(...ys) + pad;
  const px = (x) => kLeft + (x - lowX) / (highX - lowX) * (kWidth - kLeft - kRight);
  const py = (y) => kTop + (highY - y) / (highY - lowY) * (kHeight - kTop - kBottom);
  const rows =
      ticks(lowY, highY, 5)
          .map((y) => [makeSvg("path", {class: "grid", d: `M${kLeft} ${py(y).toFixed(1)}H${kWidth - kRight}`}),
                       makeSvg("text", {class: "tick end", x: kLeft - 6, y: (py(y) + 4).toFixed(1)}, short(y))]);
  const columns = ticks(lowX, highX, 6)
                      .filter(Number.isInteger)
                      .map((x) => makeSvg("text", {class: "tick", x: px(x).toFixed(1), y: kHeight - 16}, x));
  const line = points.map(({x, y}, i) => `${i ? "L" : "M"}${px(x).toFixed(1)} ${py(y).toFixed(1)}`).join("");
  const marks = points.map(
      ({x, y}) => makeSvg(
          "g", {class: "mark"}, makeSvg("title", {}, `epoch ${x}: ${figure(y)}`),
          makeSvg("circle",
                  {class: "marker", cx: px(x).toFixed(1), cy: py(y).toFixed(1), r: points.length > 40 ? 1.6 : 3})));
  const svg =
      makeSvg("svg", {
        class: "chart",
        viewBox: `0 0 ${kWidth} ${kHeight}`,
        role: "img",
        "aria-label": `${title}: from ${figure(ys[0])} to ${figure(ys[ys.length - 1])} in ${points.length} epochs`
      },
              ...rows.flat(), makeSvg("path", {class: "axis", d: `M${kLeft} ${kHeight - kBottom}H${kWidth - kRight}`}),
              ...columns, makeSvg("text", {class: "tick", x: (kLeft + kWidth - kRight) / 2, y: kHeight - 1}, "epoch"),
              makeSvg("g", {class: `s${series}`}, makeSvg("path", {class: "line", d: line}), ...marks));
  const table =
      make("div", {class: "scroll tall"},
           make("table", {},
                make("thead", {},
                     make("tr", {}, make("th", {class: "number"}, "epoch"), make("th", {class: "number"}, title))),
                make("tbody", {},
                     points.map(({x, y}) => make("tr", {}, make("td", {class: "number"}, x),
                                                 make("td", {class: "number"}, figure(y, 4)))))));
  return make("figure", {}, make("figcaption", {}, title, make("small", {}, remark)), svg,
              make("details", {}, make("summary", {}, "Table"), table));
}
