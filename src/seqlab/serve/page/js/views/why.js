// Why a token has its label and not its rival: what each feature and move adds to the log-odds.

import { ask } from "../api.js";
import { el, isolated, number, percent, table } from "../dom.js";
import { meaning, plain, told } from "../plain.js";
import { chooser, sentenceOf } from "./choose.js";

// What speaks for a label in a model without weights of features.
const PARTS = { word: "the word itself", before: "the words before it", after: "the words after it", around: "the words around it" };
const MOST = 40, LEAST = 0.005; // rows, and what is a row of its own

export async function show(context) {
  const { state, set, here, layer, answer } = context;
  if (answer.sentences.length === 0) return [el("p", { class: "hint" }, "Type something above.")];
  const sentence = sentenceOf(context);
  if (state.at === "" || Number(state.at) >= sentence.tokens.length) set({ at: String(doubtful(sentence)) }, { quiet: true });
  const t = Number(state.at);
  const nodes = [chooser(context, { tokens: true }), el("p", { class: "sentence", dir: "auto" }, sentence.tokens.map((word, i) =>
    [el("button", { type: "button", class: `token${i === t ? " chosen" : ""}`, "aria-pressed": String(i === t), onclick: () => set({ at: String(i), rival: "" }) },
      word, el("span", { class: "tag" }, sentence.labels[i])), " "]))];
  if (!layer.explains && !layer.probabilities) {
    return [...nodes, el("p", null, `${layer.kind} has neither features nor probabilities to add up, so it cannot say why.`)];
  }
  let found;
  try {
    found = await ask("explain", { model: here.name, layer: layer.name, tokens: sentence.cells, at: t, rival: state.rival || undefined });
  } catch (error) {
    if (!error.problem) throw error;
    return [...nodes, el("p", { class: "remark", role: "alert" }, error.message)]; // another word may do
  }
  found = { features: [], moves: [], other_moves: 0, normaliser: 0, parts: [], ...found };
  const total = found.log_odds ?? found.margin;
  const parts = [...found.features, ...found.moves, ...found.parts].sort((a, b) => Math.abs(b.difference) - Math.abs(a.difference));
  const largest = Math.max(1e-9, ...parts.map((one) => Math.abs(one.difference)));
  const bar = (value) => {
    const made = el("span", { class: `bar${value < 0 ? " against" : ""}`, "aria-hidden": "true" });
    made.style.setProperty("--share", (Math.abs(value) / largest).toFixed(4));
    return made;
  };
  const row = (what, value) => [what, [number(value), value < 0 ? "against" : "for"], bar(value)];
  const shown = parts.slice(0, MOST).filter((one) => Math.abs(one.difference) >= LEAST);
  const rest = sum(parts.slice(shown.length)) + found.other_moves + found.normaliser;
  const rows = [
    ...shown.map((one) => row(one.part ? PARTS[one.part] : one.labels ? move(one) : feature(one, one.position === t ? "" : ` (at ${isolated(sentence.tokens[one.position])})`), one.difference)),
    ...(Math.abs(rest) > 1e-9 ? [row("everything else", rest)] : []),
  ];
  const others = layer.labels.filter((label) => label !== found.label);
  return [
    ...nodes,
    el("h2", null, "Why is ", el("q", { dir: "auto" }, sentence.tokens[t]), ` ${found.label}`, found.probability === null ? "" : ` (probability ${percent(found.probability)})`, " and not ",
      el("label", null, el("span", { class: "skip" }, "rival"), el("select", { id: "rival", "aria-label": "rival label", onchange: (event) => set({ rival: event.target.value }) },
        others.map((label) => el("option", { value: label, selected: label === found.rival }, label)))),
      found.rival_probability === null ? "?" : ` (${percent(found.rival_probability)})?`),
    el("p", null, sentenceFor(found, sentence, t, total)),
    el("p", { class: "hint" }, [found.label, found.rival].map((label) => [label, meaning(label, layer.labels)]).filter((one) => one[1]).map((one) => `${one[0]}: ${one[1]}. `)),
    table("What speaks for the label (above 0) and for its rival (below 0)", ["", "adds", ""],
      [...rows, [el("strong", null, found.log_odds === null ? "margin of the two best paths" : "log-odds: log P(label) − log P(rival)"), [number(total), "chosen"], ""]]),
    el("p", { class: "hint" }, `The rows add up to ${number(found.total)}; the model says ${number(total)}.`,
      found.moves.length ? " An arrow leads from the label of a word to that of the next; it counts by how probable the neighbour's label is." : ""),
  ];
}

function feature(one, where) {
  return told(one.attribute, one.value === 1 ? "" : ` = ${number(one.value)}`, where);
}

function move(one) {
  return `${one.labels.join(" → ")} instead of ${one.rival_labels.join(" → ")}${one.attribute ? ` with ${one.attribute}` : ""}`;
}

function follows(one) {
  return `${one.labels.at(-1)} ${one.difference > 0 ? "often" : "seldom"} follows ${one.labels.slice(0, -1).join(", ")}`;
}

function sentenceFor(found, sentence, t, total) {
  const best = [...found.features.map((one) => [plain(one.attribute) ?? one.attribute, one.difference]), ...found.moves.map((one) => [follows(one), one.difference]),
    ...found.parts.map((one) => [`of ${PARTS[one.part]}`, one.difference])]
    .sort((a, b) => b[1] - a[1]);
  const forIt = best.filter((one) => one[1] >= LEAST).slice(0, 2).map((one) => one[0]);
  const against = best.filter((one) => one[1] <= -LEAST).slice(-1).map((one) => one[0]);
  const winner = total >= 0 ? [found.label, found.rival] : [found.rival, found.label];
  const times = found.log_odds === null ? "" : `, so ${winner[0]} is ${many(Math.exp(Math.abs(total)))} times as probable as ${winner[1]}`;
  const anyway = total < 0 ? ` It is ${found.label} all the same, because the best labels of the whole sentence have it.` : "";
  return `“${isolated(sentence.tokens[t])}” is ${found.label} mostly because ${forIt.join("; and because ") || "of nothing in particular"}` +
    `${against.length ? `. What speaks most for ${found.rival}: ${against[0].replace(/^of /, "")}` : ""}. Together: ${number(Math.abs(total))} in favour of ${winner[0]}${times}.${anyway}`;
}

function many(value) {
  return value < 10 ? value.toFixed(1) : value < 1e6 ? Math.round(value).toLocaleString("en") : value.toExponential(0);
}

function sum(rows) {
  return rows.reduce((all, one) => all + (typeof one === "number" ? one : one.difference), 0);
}

// The token that the model is least sure of.
function doubtful(sentence) {
  const chances = sentence.probabilities;
  return chances ? chances.indexOf(Math.min(...chances)) : 0;
}
