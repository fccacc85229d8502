// Forward, backward and Viterbi, cell by cell: on a sentence under the model, or on tables that one may edit.

import { ask } from "../api.js";
import { el, number } from "../dom.js";
import { chooser, sentenceOf } from "./choose.js";

const ALGORITHMS = {
  forward: ["Forward", "eq:forward", ["α_t(y) = node_t(y) × Σ_a α_{t−1}(a) × edge(a, y)", "α_t(y) = node_t(y) + log Σ_a exp(α_{t−1}(a) + edge(a, y))"], "all prefixes that end in a label"],
  backward: ["Backward", "eq:backward", ["β_t(a) = Σ_y edge(a, y) × node_{t+1}(y) × β_{t+1}(y)", "β_t(a) = log Σ_y exp(edge(a, y) + node_{t+1}(y) + β_{t+1}(y))"], "everything that follows a label"],
  viterbi: ["Viterbi", "eq:viterbi", ["v_t(y) = node_t(y) × max_a v_{t−1}(a) × edge(a, y)", "v_t(y) = node_t(y) + max_a (v_{t−1}(a) + edge(a, y))"], "the best prefix that ends in a label"],
};
// Figure 9.2 of the course notes that the worked examples follow.
const FIGURE = {
  labels: ["A", "N", "V", "D"], start: [0, 0.2, 0.1, 0.7],
  transitions: [[0.1, 0.9, 0, 0], [0, 0.2, 0.7, 0.1], [0.1, 0.3, 0.1, 0.5], [0.3, 0.7, 0, 0]],
  emissions: { the: [0, 0, 0, 1], old: [0.8, 0.2, 0, 0], man: [0.2, 0.4, 0.5, 0], boat: [0, 0.4, 0.5, 0] },
  words: ["the", "old", "man", "the", "boat"],
};

let tables = structuredClone(FIGURE);
// These four live in the address: algorithm, cells that are done, the user's model instead of the tables, logs.
let algorithm, done, own, logs;
let timer = null;
let unfolded = false; // the tables

function load(text) {
  const [name, many, whose, numbers] = text.split(",");
  algorithm = ALGORITHMS[name] ? name : "forward";
  done = Number(many) || 0;
  own = whose === "own";
  logs = numbers === "logs";
}

export async function show(context) {
  const { state, set, here, layer, answer } = context;
  const again = () => set({ step: [algorithm, done, own ? "own" : "figure", logs ? "logs" : "numbers"].join(",") });
  load(state.step);
  let found, words;
  if (own) {
    if (answer.sentences.length === 0) return [el("p", { class: "hint" }, "Type something above.")];
    const sentence = sentenceOf(context);
    words = sentence.tokens;
    try {
      found = await ask("steps", { model: here.name, layer: layer.name, tokens: sentence.cells });
    } catch (error) {
      if (!error.problem) throw error;
      const back = () => { own = false; done = 1; again(); };
      return [el("p", { class: "remark", role: "alert" }, error.message), el("button", { type: "button", onclick: back }, "Figure 9.2 instead")];
    }
  } else {
    words = tables.words;
    try {
      found = await ask("tables", tables);
    } catch (error) {
      if (!error.problem) throw error;
      return [el("p", { class: "remark", role: "alert" }, error.message), editor(again)];  // which can be mended there
    }
  }
  const T = words.length, L = found.labels.length, all = T * L;
  done = Math.max(0, Math.min(done, all));
  const [name, tag, formulas, about] = ALGORITHMS[algorithm];
  const values = found[algorithm];
  // The cells in the order in which the algorithm fills them.
  const order = [];
  for (let i = 0; i < T; ++i) for (let y = 0; y < L; ++y) order.push([algorithm === "backward" ? T - 1 - i : i, y]);
  const filled = new Set(order.slice(0, done).map(([t, y]) => `${t},${y}`));
  const [t, y] = done > 0 ? order[done - 1] : [-1, -1];
  const from = algorithm === "backward" ? t + 1 : t - 1;
  const shown = (value) => value === null ? (logs ? "−∞" : "0") : logs ? number(value) : probability(Math.exp(value));
  const cell = (position, label) => {
    const key = `${position},${label}`;
    const into = position === from && done > 0 && (algorithm !== "viterbi" || label === found.back[t][y]);
    const kind = position === t && label === y ? "chosen" : into ? "from" : "";
    const current = position === t && label === y;
    return el("td", { class: kind, "aria-current": current ? "true" : undefined }, filled.has(key) ? shown(values[position][label]) : "·");
  };
  const step = (many) => { stop(); done = Math.max(0, Math.min(done + many, all)); again(); };
  const play = () => {
    if (timer) { stop(); again(); return; }
    timer = setInterval(() => { done += 1; if (done >= all) stop(); again(); }, 700);
    again();
  };
  const choice = (value, title, now, act) => el("label", null, el("input", { type: "radio", name: `steps-${value}-of`, checked: now, onchange: act }), ` ${title}`);
  return [
    el("div", { class: "row" },
      choice("figure", "Figure 9.2, tables that you may edit", !own, () => { own = false; done = 1; stop(); again(); }),
      choice("figure", `the model ${here.name} on the sentence above`, own, () => { own = true; done = 1; stop(); again(); }),
      el("label", null, el("input", { type: "checkbox", checked: logs, onchange: () => { logs = !logs; again(); } }), " logs")),
    own ? chooser(context) : editor(again),
    el("div", { class: "row" }, Object.entries(ALGORITHMS).map(([one, [title]]) =>
      el("button", { type: "button", "aria-pressed": String(one === algorithm), onclick: () => { algorithm = one; done = 1; stop(); again(); } }, title)),
    el("button", { type: "button", onclick: () => step(-1) }, "Back"),
    el("button", { type: "button", id: "next", onclick: () => step(1) }, "Next cell"),
    el("button", { type: "button", onclick: () => step(L) }, "Next column"),
    el("button", { type: "button", onclick: play }, timer ? "Pause" : "Play"),
    el("button", { type: "button", onclick: () => step(all) }, "To the end"),
    el("button", { type: "button", onclick: () => { stop(); done = 0; again(); } }, "Reset")),
    el("p", null, el("code", null, formulas[logs ? 1 : 0]), "  ", el("span", { class: "faint" }, `${tag}: ${about}`)),
    el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `${name} table` }, el("table", null,
      el("caption", null, `${name}${logs ? ", in logs" : ""}: ${done} of ${all} cells`),
      el("thead", null, el("tr", null, el("td", null, ""), words.map((word) => el("th", { scope: "col" }, word)))),
      el("tbody", null, found.labels.map((label, i) => el("tr", null, el("th", { scope: "row" }, label), words.map((_, position) => cell(position, i))))))),
    el("p", { id: "step-text", "aria-live": "polite" }, done === 0 ? "Press “Next cell”." : told(found, words, t, y, from, shown)),
    done >= all ? el("p", null, algorithm === "viterbi" ? `The best labels: ${found.best.join(" ")}.`
      : `The sum over all labellings is ${shown(found.log_z)}.`) : null,
  ];
}

function stop() {
  clearInterval(timer);
  timer = null;
}

function edge(found, position, a, b) {
  return found.per_position ? found.edge[position - 1][a][b] : found.edge[a][b];
}

// The current cell in words and numbers.
function told(found, words, t, y, from, shown) {
  const label = found.labels[y], value = shown(found[algorithm][t][y]);
  if (from < 0) return `${words[t]} as ${label}: nothing comes before it, so the cell is its own score, ${value}.`;
  if (from >= words.length) return `${words[t]} as ${label}: nothing comes after the last word, so the cell is ${value}.`;
  const L = found.labels.length, parts = [];
  const times = logs ? " + " : " × ";
  for (let a = 0; a < L; ++a) {
    const terms = algorithm === "backward"
      ? [edge(found, from, y, a), found.node[from][a], found.backward[from][a]]
      : [found[algorithm][from][a], edge(found, t, a, y)];
    if (!terms.includes(null)) parts.push(`${found.labels[a]}: ${terms.map(shown).join(times)}`);
  }
  if (parts.length === 0) return `${words[t]} as ${label}: no label leads here, so the cell is ${value}.`;
  const joined = parts.join("; ");
  if (algorithm === "backward") return `${words[t]} as ${label}: the sum over the next labels of edge${times}node${times}β is ${value}. ${joined}.`;
  const own_ = shown(found.node[t][y]);
  return algorithm === "forward"
    ? `${words[t]} as ${label}: its own score ${own_}${times}the sum over the labels before it is ${value}. ${joined}.`
    : `${words[t]} as ${label}: its own score ${own_}${times}the largest of the labels before it, ${found.labels[found.back[t][y]] ?? "none"}, is ${value}. ${joined}.`;
}

function probability(value) {
  return value === 0 ? "0" : value >= 0.001 ? value.toPrecision(3).replace(/\.?0+$/, "") : value.toExponential(2);
}

// The tables of the hidden Markov model, as numbers that one may change.
function editor(again) {
  const input = (title, value, act) => el("input", { type: "number", min: "0", max: "1", step: "0.05", "aria-label": title, value,
    onchange: (event) => { act(Math.min(1, Math.max(0, Number(event.target.value) || 0))); stop(); again(); } });
  const { labels } = tables;
  const row = (title, values, name) => el("tr", null, el("th", { scope: "row" }, title), values.map((value, i) =>
    el("td", null, input(name(labels[i]), value, (made) => { values[i] = made; }))));
  return el("details", { open: unfolded, ontoggle: (event) => { unfolded = event.target.open; } }, el("summary", null, "Tables: start, moves, words"),
    el("label", null, "Sentence ", el("input", { id: "figure-words", value: tables.words.join(" "), onchange: (event) => {
      tables.words = event.target.value.trim().split(/\s+/).filter(Boolean).slice(0, 30);
      for (const word of tables.words) tables.emissions[word] ??= labels.map(() => 0);
      done = 1;
      again();
    } })),
    el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Tables" }, el("table", { class: "cells" },
      el("thead", null, el("tr", null, el("td", null, ""), labels.map((label) => el("th", { scope: "col" }, label)))),
      el("tbody", null,
        row("start", tables.start, (label) => `start of ${label}`),
        labels.map((from, i) => row(`from ${from} to`, tables.transitions[i], (to) => `from ${from} to ${to}`)),
        Object.entries(tables.emissions).map(([word, values]) => row(`“${word}” as`, values, (label) => `${word} as ${label}`))))),
    el("button", { type: "button", onclick: () => { tables = structuredClone(FIGURE); done = 1; again(); } }, "The figure again"));
}
