// The trellis: labels by positions, shaded by their probability, with the best paths.

import { ask } from "../api.js";
import { download, el, number, percent, shortened, svg } from "../dom.js";
import { chooser, sentenceOf } from "./choose.js";

const ROW = 34, TOP = 46, N = 5;
const LIKELY = 0.02;
const LONG = 40, NAME = 16; // words that are written out for each labelling, letters of a label

export async function show(context) {
  const { state, set, here, layer, answer, say } = context;
  if (answer.sentences.length === 0) return [el("p", { class: "hint" }, "Type something above.")];
  const sentence = sentenceOf(context);
  const found = await ask("trellis", { model: here.name, layer: layer.name, tokens: sentence.cells, n: N });
  const zoom = Number(state.zoom) || 1;
  const chosen = Math.min(Number(state.path), found.paths.length - 1);
  const drawing = picture(sentence, found, zoom, chosen, (t) => set({ view: "why", at: String(t), rival: "" }));
  const save = {
    SVG: () => download("trellis.svg", "image/svg+xml", standalone(drawing)),
    JSON: () => download("trellis.json", "application/json", JSON.stringify({ tokens: sentence.tokens, ...found }, null, 1)),
    CoNLL: async () => download("labels.txt", "text/plain",
      await ask("tag", { model: here.name, layer: layer.name, tokens: sentence.cells }, { accept: "text/plain" })),
  };
  return [
    chooser(context),
    el("div", { class: "row" },
      el("label", null, "Zoom ", el("input", { type: "range", min: "0.4", max: "2", step: "0.1", value: zoom,
        onchange: (event) => set({ zoom: event.target.value }) })),
      Object.entries(save).map(([name, act]) => el("button", { type: "button", onclick: () => Promise.resolve(act()).catch((error) => say(error.message, true)) }, `Save ${name}`))),
    el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Trellis" }, drawing),
    el("h2", null, "Best labellings"),
    el("ol", { class: "paths" }, found.paths.map((path, i) => el("li", null, el("button", {
      type: "button", "aria-pressed": String(i === chosen), onclick: () => set({ path: String(i) }),
      onmouseenter: () => highlight(drawing, i), onmouseleave: () => highlight(drawing, chosen), onfocus: () => highlight(drawing, i),
    }, path.probability === undefined ? `score ${number(path.score)}` : `P ${percent(path.probability)}`),
    " ", written(path.labels, found.paths[0].labels, sentence.tokens)))),
    el("p", { class: "hint" }, "Circles are filled by the probability of a label at its position. Click a word to see why; point at a labelling, or press its button, to see its path."),
  ];
}

function picture(sentence, found, zoom, chosen, open) {
  const step = 84 * zoom, T = sentence.tokens.length;
  // Only labels that matter somewhere: on a path, or likely.
  const used = found.labels.map((_, y) => y).filter((y) =>
    found.paths.some((path) => path.labels.includes(found.labels[y])) || found.posterior?.some((row) => row[y] >= LIKELY));
  const LEFT = 30 + Math.max(50, ...used.map((y) => 9 * Math.min(NAME, [...found.labels[y]].length)));
  const row = new Map(used.map((y, i) => [found.labels[y], i]));
  const x = (t) => LEFT + step * (t + 0.5), y = (label) => TOP + ROW * (row.get(label) + 0.5);
  const height = TOP + ROW * used.length + 8;
  const cells = used.map((label) => sentence.tokens.map((_, t) => {
    const chance = found.posterior?.[t]?.[label];
    const on = found.paths[0]?.labels[t] === found.labels[label];
    return svg("g", null,
      svg("title", null, `${sentence.tokens[t]}: ${found.labels[label]}${chance === undefined ? "" : ` ${number(chance)}`}`),
      svg("circle", { class: `dot${on ? " on" : ""}`, cx: x(t), cy: y(found.labels[label]), r: 11 }),
      chance === undefined ? null : svg("circle", { class: "fill", cx: x(t), cy: y(found.labels[label]), r: 9, "fill-opacity": chance.toFixed(3) }),
      chance >= LIKELY && chance < 0.995 ? svg("text", { class: "small", x: x(t) + 12, y: y(found.labels[label]) - 6 }, percent(chance)) : null);
  }));
  const moves = (found.moves ?? []).flatMap((slab, t) => used.flatMap((a) => used.map((b) => slab[a]?.[b] >= LIKELY
    ? svg("line", { class: "move", x1: x(t), y1: y(found.labels[a]), x2: x(t + 1), y2: y(found.labels[b]), "stroke-opacity": Math.min(1, slab[a][b] + 0.1).toFixed(2) }) : null)));
  const paths = found.paths.map((path, i) => svg("polyline", {
    class: `path${i === 0 ? "" : " other"}`, "data-path": i, visibility: i === 0 || i === chosen ? "visible" : "hidden",
    points: path.labels.map((label, t) => `${x(t)},${y(label)}`).join(" "),
  }));
  const words = sentence.tokens.map((word, t) => svg("g", {
    role: "button", tabindex: "0", "aria-label": `Why ${word} is ${found.paths[0]?.labels[t]}`, onclick: () => open(t),
    onkeydown: (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); open(t); } },
  }, svg("rect", { x: x(t) - step / 2, y: 4, width: step, height: TOP - 10, fill: "transparent" }),
  svg("text", { x: x(t), y: 28, "text-anchor": "middle" }, word.length > 11 * zoom ? `${word.slice(0, Math.max(3, 10 * zoom))}…` : word, svg("title", null, word))));
  return svg("svg", { class: "trellis", width: x(T) + 8 - step / 2, height, viewBox: `0 0 ${x(T) + 8 - step / 2} ${height}`, role: "group", "aria-label": `Trellis of ${T} positions and ${used.length} labels` },
    moves, paths, cells,
    used.map((label) => svg("text", { x: LEFT - 16, y: y(found.labels[label]) + 4, "text-anchor": "end" }, svg("title", null, found.labels[label]), shortened(found.labels[label], NAME))), words);
}

// The labels of a path; of a long one, where it leaves the best.
function written(labels, best, tokens) {
  const label = (one, t, name) => [el("span", { class: one === best[t] ? "" : "changed" }, name, one), " "];
  if (labels.length <= LONG) return labels.map((one, t) => label(one, t, ""));
  const other = labels.map((one, t) => one === best[t] ? null : label(one, t, `${t}: ${shortened(tokens[t], NAME)} `)).filter(Boolean);
  return other.length ? ["as the best, but ", ...other] : "the best, as above";
}

function highlight(drawing, chosen) {
  for (const line of drawing.querySelectorAll("[data-path]")) {
    line.setAttribute("visibility", line.dataset.path === "0" || line.dataset.path === String(chosen) ? "visible" : "hidden");
  }
}

// The picture with its colours written into it, for use outside the page.
function standalone(drawing) {
  const copy = drawing.cloneNode(true);
  const originals = [drawing, ...drawing.querySelectorAll("*")];
  [copy, ...copy.querySelectorAll("*")].forEach((node, i) => {
    const style = getComputedStyle(originals[i]);
    for (const name of ["fill", "stroke", "stroke-width", "stroke-dasharray", "paint-order", "font-size", "font-family"]) {
      const value = style.getPropertyValue(name);
      if (value && !["svg", "g", "title"].includes(node.nodeName)) node.setAttribute(name, value);
    }
    for (const name of ["class", "tabindex", "role", "aria-label"]) node.removeAttribute(name);
  });
  return new XMLSerializer().serializeToString(copy);
}
