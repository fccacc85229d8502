// Why a token has its label and not its rival: what each feature and move adds to the log-odds.

import { ask } from "../api.js";
import { el, number, percent, table } from "../dom.js";
import { chooser, sentenceOf } from "./choose.js";

const MOST = 25;

export async function show(context) {
  const { state, set, here, layer, answer } = context;
  if (answer.sentences.length === 0) return [el("p", { class: "hint" }, "Type something above.")];
  const sentence = sentenceOf(context);
  if (state.at === "" || Number(state.at) >= sentence.tokens.length) set({ at: String(doubtful(sentence)) }, { quiet: true });
  const t = Number(state.at);
  const nodes = [chooser(context, { tokens: true }), el("p", { class: "sentence" }, sentence.tokens.map((word, i) =>
    [el("button", { type: "button", class: `token${i === t ? " chosen" : ""}`, "aria-pressed": String(i === t), onclick: () => set({ at: String(i), rival: "" }) },
      word, el("span", { class: "tag" }, sentence.labels[i])), " "]))];
  if (!layer.explains) {
    return [...nodes, el("p", null, `A ${layer.kind} has no features to add up, so it cannot say why; the trellis shows how sure it is.`)];
  }
  const found = await ask("explain", { model: here.name, layer: layer.name, tokens: sentence.cells, at: t, rival: state.rival || undefined });
  const total = found.log_odds ?? found.margin;
  const largest = Math.max(1e-9, ...found.features.map((one) => Math.abs(one.difference)), ...found.moves.map((one) => Math.abs(one.difference)));
  const bar = (value) => {
    const made = el("span", { class: `bar${value < 0 ? " against" : ""}`, "aria-hidden": "true" });
    made.style.width = `${(Math.abs(value) / largest * 8).toFixed(2)}rem`;
    return made;
  };
  const row = (what, value) => [what, [number(value), value < 0 ? "against" : "for"], bar(value)];
  const features = found.features.slice(0, MOST), moves = found.moves.slice(0, MOST);
  const rest = sum(found.features.slice(MOST)) + sum(found.moves.slice(MOST)) + found.other_moves + found.normaliser;
  const rows = [
    ...features.map((one) => row(`${one.attribute}${one.value === 1 ? "" : ` = ${number(one.value)}`}${one.position === t ? "" : ` (at ${sentence.tokens[one.position]})`}`, one.difference)),
    ...moves.map((one) => row(`${one.labels.join(" → ")} instead of ${one.rival_labels.join(" → ")}${one.attribute ? ` with ${one.attribute}` : ""}`, one.difference)),
    ...(Math.abs(rest) > 1e-9 ? [row("everything else", rest)] : []),
  ];
  const others = layer.labels.filter((label) => label !== found.label);
  return [
    ...nodes,
    el("h2", null, "Why is ", el("q", null, sentence.tokens[t]), ` ${found.label}`, found.probability === null ? "" : ` (P ${percent(found.probability)})`, " and not ",
      el("label", null, el("span", { class: "skip" }, "rival"), el("select", { id: "rival", "aria-label": "rival label", onchange: (event) => set({ rival: event.target.value }) },
        others.map((label) => el("option", { value: label, selected: label === found.rival }, label)))),
      found.rival_probability === null ? "?" : ` (P ${percent(found.rival_probability)})?`),
    el("p", null, sentenceFor(found, sentence, t, total)),
    table("What speaks for the label (above 0) and for its rival (below 0)", ["", "adds", ""],
      [...rows, [el("strong", null, found.log_odds === null ? "margin of the two best paths" : "log-odds: log P(label) − log P(rival)"), [number(sum(rows.map((one) => 0)) + total), "chosen"], ""]]),
    el("p", { class: "hint" }, `The rows add up to ${number(found.total)}; the model says ${number(total)}.`),
  ];
}

function sentenceFor(found, sentence, t, total) {
  const best = [...found.features.map((one) => [one.attribute, one.difference]), ...found.moves.map((one) => [`the move ${one.labels.join(" → ")}`, one.difference])]
    .sort((a, b) => b[1] - a[1]);
  const forIt = best.filter((one) => one[1] > 0).slice(0, 2).map((one) => one[0]);
  const against = best.filter((one) => one[1] < 0).slice(-1).map((one) => one[0]);
  return `“${sentence.tokens[t]}” is ${found.label} mostly because of ${forIt.join(" and ") || "nothing in particular"}` +
    `${against.length ? `; ${against[0]} speaks for ${found.rival}` : ""}. Together: ${number(total)} in favour of ${total >= 0 ? found.label : found.rival}.`;
}

function sum(rows) {
  return rows.reduce((all, one) => all + (typeof one === "number" ? one : one.difference), 0);
}

// The token that the model is least sure of.
function doubtful(sentence) {
  const chances = sentence.probabilities;
  return chances ? chances.indexOf(Math.min(...chances)) : 0;
}
