// Elements are made here and never from markup, so that no text of a graph is ever read as such.

const kSvg = "http://www.w3.org/2000/svg";

function put(element, name, value) {
  if (value === null || value === undefined || value === false) return;
  if (name.startsWith("on"))
    element.addEventListener(name.slice(2), value);
  else if (name === "dataset")
    Object.assign(element.dataset, value);
  else if (name === "value")
    element.value = value;
  else
    element.setAttribute(name, value === true ? "" : value);
}

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) put(element, name, value);
  element.append(
      ...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/// make("a", { href: "#/", onclick: go }, "text", [more, children]): what is null or false is left out.
export const make = (tag, attributes, ...children) => filled(document.createElement(tag), attributes, children);
export const makeSvg = (tag, attributes, ...children) =>
    filled(document.createElementNS(kSvg, tag), attributes, children);

/// In place of what is in it; what is null or false is left out.
export function fill(element, ...children) {
  element.replaceChildren();
  return filled(element, null, children);
}

export const button = (text, onclick, attributes = {}) =>
    make("button", {type: "button", onclick, ...attributes}, text);

let ids = 0;
export const newId = (what) => `${what}-${++ids}`;

/// Tells those who listen to the page what has changed on it.
let saying = 0;
export function say(text) {
  const region = document.getElementById("said");
  region.textContent = "";
  clearTimeout(saying);
  saying = setTimeout(() => {
    region.textContent = text;
  }, 60);  // an equal text is read out again only after a pause
}

/// Calls `act` when nothing has happened for some time.
export function later(milliseconds, act) {
  let timer = 0;
  return (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => act(...given), milliseconds);
  };
}

export const count = (number) => Number(number).toLocaleString("en");
export const counted = (number, one, many = one + "s") => `${count(number)} ${number === 1 ? one : many}`;

/// ".617", as the reports write metrics; whole numbers as they are.
export function figure(value, digits = 3) {
  if (!Number.isFinite(value)) return "–";
  if (Number.isInteger(value) || Math.abs(value) >= 1000) return count(Math.round(value));
  if (Math.abs(value) >= 10) return value.toFixed(1);
  return value.toFixed(digits).replace(/^(-?)0\./, "$1.");
}

/// A probability for people: never 0% or 100%, which nothing is.
export function percent(probability) {
  if (probability < 0.01) return "<1%";
  if (probability > 0.99) return ">99%";
  return Math.round(100 * probability) + "%";
}

export function shortened(text, most) {
  if (text.length <= most) return text;
  const cut = text.lastIndexOf(" ", most);
  return text.slice(0, cut > most / 2 ? cut : most).trimEnd() + "…";
}
