// A model: its settings, heaviest features, transitions, and how its training went.

import { get } from "../api.js";
import { colour, el, number, svg, table, typeOf } from "../dom.js";
import { told } from "../plain.js";

export const needsAnswer = false;

export async function show({ state, here, layer, set }) {
  const label = layer.labels.includes(state.weight) ? state.weight : "", { search } = state;
  const base = `/v1/models/${encodeURIComponent(here.name)}`, of = `layer=${encodeURIComponent(layer.name)}`;
  const about = await get(base);
  const settings = about.layers.find((one) => one.name === layer.name).options;
  const nodes = [
    el("h2", null, `${here.name}: ${layer.kind} for ${layer.name}`),
    el("p", null, `${layer.labels.length} labels: ${layer.labels.join(", ")}`),
  ];
  if (layer.explains) {
    const asked = new URLSearchParams({ layer: layer.name, label, search, n: "60" });
    const found = await get(`${base}/weights?${asked}`);
    nodes.push(el("h2", null, "Heaviest features"), el("div", { class: "row" },
      el("label", null, "Label ", el("select", { id: "weight-label", onchange: (event) => set({ weight: event.target.value }) },
        ["", ...layer.labels].map((one) => el("option", { value: one, selected: one === label }, one || "all")))),
      el("label", null, "Search ", el("input", { id: "weight-search", type: "search", value: search, onchange: (event) => set({ search: event.target.value }) }))),
    table(`${found.features.length} features`, ["feature", "label", "weight"],
      found.features.map((one) => [told(one.attribute), el("span", { class: colour(typeOf(one.label)) }, one.label), [number(one.weight), one.weight < 0 ? "against" : "for"]])),
    el("h2", null, "Transitions"), diagram(layer.labels, found.transitions));
  }
  const training = await get(`${base}/training?${of}`);
  const curve = picture(training.figures);
  if (curve) nodes.push(el("h2", null, "Training"), curve);
  nodes.push(table("Settings", ["option", "value"], Object.entries(settings).map(([name, value]) => [name, value])));
  return nodes;
}

// Labels on a circle; lines as wide as the weight is large, dashed where it is negative.
function diagram(labels, transitions) {
  const shown = labels.slice(0, 24), R = 190, C = 250;
  const most = Math.max(1e-9, ...transitions.map((one) => Math.abs(one.weight)));
  const place = (name) => {
    const angle = 2 * Math.PI * shown.indexOf(name) / shown.length - Math.PI / 2;
    return [C + R * Math.cos(angle), C + R * Math.sin(angle)];
  };
  const lines = transitions.filter((one) => one.labels.length === 2 && one.labels.every((name) => shown.includes(name)) && Math.abs(one.weight) > most / 5).map((one) => {
    const [x1, y1] = place(one.labels[0]), [x2, y2] = place(one.labels[1]);
    const same = one.labels[0] === one.labels[1];
    const d = same ? `M${x1 - 6},${y1} C${x1 - 40},${y1 - 46} ${x1 + 40},${y1 - 46} ${x1 + 6},${y1}`
      : `M${x1},${y1} Q${(x1 + x2) / 2 + (y2 - y1) / 6},${(y1 + y2) / 2 - (x2 - x1) / 6} ${x2},${y2}`;
    return svg("path", { class: "move", d, "stroke-width": (4 * Math.abs(one.weight) / most).toFixed(2), "stroke-dasharray": one.weight < 0 ? "4 4" : undefined },
      svg("title", null, `${one.labels.join(" → ")}: ${number(one.weight)}`));
  });
  const names = shown.map((name) => {
    const [x, y] = place(name);
    return svg("g", null, svg("circle", { class: "dot on", cx: x, cy: y, r: 5 }), svg("text", { x: x + (x < C ? -10 : 10), y: y + 4, "text-anchor": x < C ? "end" : "start" }, name));
  });
  return el("div", null,
    el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Transition diagram" }, svg("svg", { width: 560, height: 500, viewBox: "-30 0 560 500", role: "img", "aria-label": "Transitions between labels; the table below has the numbers" }, lines, names)),
    el("details", null, el("summary", null, "The weights of transitions"), table("Transitions", ["from", "to", "weight"],
      transitions.slice(0, 300).map((one) => [one.labels[0], one.labels.slice(1).join(" "), one.weight]))));
}

// The objective over the iterations.
function picture(figures) {
  const values = (figures.objective ?? figures.log_likelihood ?? []).filter((one) => one !== null);
  if (values.length < 2) return null;
  const low = Math.min(...values), high = Math.max(...values), W = 560, H = 180;
  const points = values.map((value, i) => `${50 + (W - 60) * i / (values.length - 1)},${10 + (H - 40) * (high - value) / (high - low || 1)}`).join(" ");
  return svg("svg", { width: W, height: H, viewBox: `0 0 ${W} ${H}`, role: "img", "aria-label": `The objective falls from ${number(values[0], 1)} to ${number(values.at(-1), 1)} in ${values.length} iterations` },
    svg("polyline", { class: "path", points }),
    svg("text", { class: "small", x: 4, y: 16 }, number(high, 0)), svg("text", { class: "small", x: 4, y: H - 28 }, number(low, 0)),
    svg("text", { class: "small", x: W - 10, y: H - 8, "text-anchor": "end" }, `${values.length} iterations`));
}
