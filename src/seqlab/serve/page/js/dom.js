// Make elements. Text of users and models becomes text nodes only, never HTML.

const SVG = "http://www.w3.org/2000/svg";

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value") element.value = value;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.flat(Infinity).filter((one) => one !== null && one !== undefined && one !== false));
  return element;
}

export function el(name, attributes, ...children) {
  return filled(document.createElement(name), attributes, children);
}

export function svg(name, attributes, ...children) {
  return filled(document.createElementNS(SVG, name), attributes, children);
}

export function show(parent, ...children) {
  parent.replaceChildren(...children.flat(Infinity).filter(Boolean));
}

// A table: head is a list of strings, rows are lists of cells (strings, numbers, nodes or [node, class]).
export function table(caption, head, rows) {
  const cell = (value) => {
    const [content, kind] = Array.isArray(value) ? value : [value, undefined];
    return el("td", { class: kind }, typeof content === "number" ? number(content) : content);
  };
  return el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    el("table", null, el("caption", null, caption),
      el("thead", null, el("tr", null, head.map((name) => el("th", { scope: "col" }, name)))),
      el("tbody", null, rows.map((row) => el("tr", null, row.map(cell))))));
}

export function number(value, digits = 3) {
  if (value === null || value === undefined) return "–";
  return Math.abs(value) >= 1e4 || (value !== 0 && Math.abs(value) < 1e-3) ? value.toExponential(1) : value.toFixed(digits);
}

export function percent(value) {
  if (value === null || value === undefined) return "";
  if (value > 0 && value < 0.005) return "<.01";
  return value >= 0.995 ? "1" : value.toFixed(2).replace(/^0/, "");
}

// Save bytes that the page has made as a file.
export function download(name, type, content) {
  const link = el("a", { href: URL.createObjectURL(new Blob([content], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

// Text that may run from right to left, so that it turns nothing around it.
export function isolated(text) {
  return /[\u0590-\u08ff\u200e-\u202e\u2066-\u2069\ufb1d-\ufefc]/.test(text) ? `\u2068${text}\u2069` : text;
}

// Labels that begin alike mostly end differently: what is too long is cut in the middle.
export function shortened(text, most) {
  const letters = [...text], end = Math.floor(most / 2);
  return letters.length > most ? `${letters.slice(0, most - end - 1).join("")}…${letters.slice(-end).join("")}` : text;
}

const colours = new Map();
// A class for the colour of a label type; O has none. Types are given their colours when the models are known, so that
// all views, and all who open a link, see the same ones.
export function colour(type) {
  if (type === "O") return "cO";
  if (!colours.has(type)) colours.set(type, colours.size % 6);
  return `c${colours.get(type)}`;
}

export function typeOf(label) {
  const found = /^[BIESLUM]-(.+)$/.exec(label);
  return found ? found[1] : label;
}
