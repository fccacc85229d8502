// A model: its settings, heaviest features, transitions, and how its training went.

import { get } from "../api.js";
import { colour, el, number, shortened, svg, table, typeOf } from "../dom.js";
import { told } from "../plain.js";

export const needsAnswer = false;
const MOST = 24, ARROWS = 120, NAME = 14; // labels and arrows of the diagram, letters of a label

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

// Labels on a circle; arrows as wide as the weight is large, dashed where it is negative.
function diagram(labels, transitions) {
  const between = transitions.filter((one) => one.labels.length === 2), R = 190, C = 250, SIDE = 10 * NAME;
  const heaviest = [...new Set([...between].sort((a, b) => Math.abs(b.weight) - Math.abs(a.weight)).flatMap((one) => one.labels))];
  const kept = labels.length > MOST ? new Set(heaviest.slice(0, MOST)) : null;
  const shown = kept ? labels.filter((name) => kept.has(name)) : labels;
  const most = Math.max(1e-9, ...between.map((one) => Math.abs(one.weight)));
  const place = (name) => {
    const angle = 2 * Math.PI * shown.indexOf(name) / shown.length - Math.PI / 2;
    return [C + R * Math.cos(angle), C + R * Math.sin(angle)];
  };
  const drawn = between.filter((one) => one.labels.every((name) => shown.includes(name)) && Math.abs(one.weight) > most / 5).slice(0, ARROWS);
  const lines = drawn.map((one) => {
    const [x1, y1] = place(one.labels[0]), [x2, y2] = place(one.labels[1]);
    const same = one.labels[0] === one.labels[1];
    const [mx, my] = [(x1 + x2) / 2 + (y2 - y1) / 6, (y1 + y2) / 2 - (x2 - x1) / 6], far = Math.hypot(x2 - mx, y2 - my);
    const d = same ? `M${x1 - 6},${y1} C${x1 - 40},${y1 - 46} ${x1 + 40},${y1 - 46} ${x1 + 6},${y1}`
      : `M${x1},${y1} Q${mx},${my} ${x2 - 8 * (x2 - mx) / far},${y2 - 8 * (y2 - my) / far}`;
    return svg("path", { class: "move", d, "marker-end": same ? undefined : "url(#tip)", "stroke-width": (4 * Math.abs(one.weight) / most).toFixed(2), "stroke-dasharray": one.weight < 0 ? "4 4" : undefined },
      svg("title", null, `${one.labels.join(" → ")}: ${number(one.weight)}`));
  });
  const names = shown.map((name) => {
    const [x, y] = place(name);
    return svg("g", null, svg("circle", { class: "dot on", cx: x, cy: y, r: 5 }),
      svg("text", Math.abs(x - C) < 9 ? { x, y: y < C ? y - 12 : y + 20, "text-anchor": "middle" } : { x: x + (x < C ? -10 : 10), y: y + 4, "text-anchor": x < C ? "end" : "start" },
        svg("title", null, name), shortened(name, NAME)));
  });
  const tip = svg("defs", null, svg("marker", { id: "tip", markerUnits: "userSpaceOnUse", markerWidth: 9, markerHeight: 9, refX: 7, refY: 4.5, orient: "auto" }, svg("path", { d: "M0,0 L9,4.5 L0,9 z" })));
  const width = 2 * (C - 60 + SIDE);
  return el("div", null,
    el("p", { class: "hint" }, "An arrow leads from a label to the one that follows; a wide one speaks for it, a dashed one against it.",
      kept ? ` ${shown.length} of ${labels.length} labels are drawn, those with the heaviest transitions.` : ""),
    el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Transition diagram" }, svg("svg", { width, height: 500, viewBox: `${C - width / 2} 0 ${width} 500`, role: "img", "aria-label": "Transitions between labels; the table below has the numbers" }, tip, lines, names)),
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
