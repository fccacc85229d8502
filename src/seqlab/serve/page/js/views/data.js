// A gold file: scores, confusions, errors in context; labels are corrected by click and saved, or learned from.

import { ask } from "../api.js";
import { el, download, number, percent, table } from "../dom.js";

export const needsAnswer = false;

let file = null; // {name, content}
let found = null; // the answer for it, under `asked`
let asked = "";
let column = ""; // with the right labels; found by the service if empty
let filter = null; // [gold, predicted]
let order = "wrong";
let note = ""; // what happened last
const corrected = new Map(); // "sentence,token" -> label

const MOST = 50;

// Bytes as text, its byte-order mark included: what is corrected is else saved as it came.
function decoded(name, bytes) {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Error(`${name}: this is no UTF-8 text; save it as UTF-8 first`);
  }
}

export async function show(context) {
  const { set, here, layer, say } = context;
  const again = () => set({});
  const open = async (given) => {
    if (!given) return;
    file = { name: given.name, content: decoded(given.name, await given.arrayBuffer()) };
    found = null;
    column = "";
    filter = null;
    note = "";
    corrected.clear();
    again();
  };
  const picker = el("div", {
    class: "drop", ondragover: (event) => event.preventDefault(),
    ondrop: (event) => { event.preventDefault(); open(event.dataTransfer.files[0]).catch((error) => say(error.message, true)); },
  }, el("label", null, "A file with the right labels (CoNLL, CoNLL-U, JSON lines, CSV); drop it here, or choose it: ",
    el("input", { type: "file", id: "gold", onchange: (event) => open(event.target.files[0]).catch((error) => say(error.message, true)) })));
  if (!file) return [picker, el("p", { class: "hint" }, "It is read by this machine and stays on it.")];
  const key = `${here.name} ${here.version} ${layer.name} ${file.name} ${column}`;
  if (!found || asked !== key) {
    try {
      say(`Labelling ${file.name} …`);
      found = await ask("evaluate", { model: here.name, layer: layer.name, content: file.content, column: column || undefined });
    } catch (error) {
      if (!error.problem) throw error;
      return [picker, el("p", { class: "remark", role: "alert" }, `${file.name}: ${error.message}`)]; // another file may do
    }
    asked = key;
  }
  const choose = (event) => { column = event.target.value; corrected.clear(); filter = null; again(); };
  const columns = el("div", { class: "row" }, el("label", null, "Column of the right labels ", el("select", { id: "gold-column", onchange: choose },
    found.columns.map((name) => el("option", { value: name, selected: name === found.column }, name)))));
  return [picker, columns, el("h2", null, `${file.name}: ${here.name} on column ${found.column}`),
    ...found.remarks.map((one) => el("p", { class: "remark" }, one)), scores(found.report), confusion(found.report.confusion, again), ...errors(context, again), ...saving(context, say, again)];
}

function scores(report) {
  const rows = Object.entries(report.figures).filter(([, value]) => value !== null).map(([name, value]) => [name.replaceAll("_", " "), value]);
  return table("Scores", ["figure", "value"], rows);
}

function confusion(all, again) {
  const counts = new Map(), labels = new Set();
  all.times.forEach((times, i) => {
    const [gold, predicted] = [all.labels[all.gold[i]], all.labels[all.predicted[i]]];
    if (gold === predicted) return;
    labels.add(gold).add(predicted);
    counts.set(JSON.stringify([gold, predicted]), times);
  });
  const names = [...labels].sort().slice(0, 40), most = Math.max(1, ...counts.values());
  if (names.length === 0) return el("p", null, "No label is wrong.");
  const cell = (gold, predicted) => {
    const count = counts.get(JSON.stringify([gold, predicted]));
    if (!count) return "";
    const made = el("button", { type: "button", "aria-label": `${gold} taken for ${predicted}: ${count}`,
      "aria-pressed": String(filter?.[0] === gold && filter?.[1] === predicted),
      onclick: () => { filter = filter?.[0] === gold && filter?.[1] === predicted ? null : [gold, predicted]; again(); } }, String(count));
    made.style.setProperty("font-weight", count > most / 2 ? "700" : "400");
    return made;
  };
  return table("Mistakes: rows are the right labels, columns what the model says; a cell opens its sentences", ["", ...names],
    names.filter((gold) => names.some((one) => counts.has(JSON.stringify([gold, one])))).map((gold) => [[el("strong", null, gold), "label"], ...names.map((predicted) => cell(gold, predicted))]));
}

function doubt(one) {
  return one.probabilities ? Math.min(1, ...one.probabilities) : 1;
}

function errors({ layer }, again) {
  let rows = found.sentences.filter((one) => filter
    ? one.gold.some((gold, t) => gold === filter[0] && one.predicted[t] === filter[1]) : order !== "wrong" || one.wrong > 0);
  if (order === "doubt") rows = [...rows].sort((a, b) => doubt(a) - doubt(b));
  const shown = rows.slice(0, MOST);
  return [
    el("h2", null, filter ? `${filter[0]} taken for ${filter[1]}` : order === "wrong" ? "Sentences with mistakes, worst first" : "Least certain first"),
    el("div", { class: "row" }, el("label", null, "Order ", el("select", { id: "order", onchange: (event) => { order = event.target.value; again(); } },
      [["wrong", "worst first"], ["doubt", "least certain first"]].map(([value, name]) => el("option", { value, selected: value === order }, name)))),
    filter ? el("button", { type: "button", onclick: () => { filter = null; again(); } }, "All mistakes") : null,
    el("span", { class: "faint" }, `${shown.length} of ${rows.length} shown`)),
    ...shown.map((one) => el("p", { class: "sentence", dir: "auto" }, el("span", { class: "faint" }, `${one.number + 1} `), one.tokens.map((word, t) => {
      const key = `${one.number},${t}`, now = corrected.get(key) ?? one.gold[t];
      const wrong = one.gold[t] !== null && one.gold[t] !== one.predicted[t];
      const told = `${word}: right ${one.gold[t] ?? "unknown"}, model ${one.predicted[t]}${one.probabilities ? ` ${percent(one.probabilities[t])}` : ""}`;
      return el("span", { class: `token${corrected.has(key) ? " changed" : ""}`, title: told }, word,
        wrong || corrected.has(key) || order === "doubt" || filter ? el("select", { class: "tag", "aria-label": `Right label of ${word}`, onchange: (event) => {
          if (event.target.value === one.gold[t]) corrected.delete(key);
          else corrected.set(key, event.target.value);
          again();
        } }, [...new Set([now, one.predicted[t], ...layer.labels])].filter((label) => label !== null).map((label) => el("option", { value: label, selected: label === now }, label))) : null,
        wrong ? el("span", { class: "tag c1" }, one.predicted[t], " ", percent(one.probabilities?.[t])) : null, " ");
    }))),
  ];
}

function counted(many, what) {
  return `${many} ${what}${many === 1 ? "" : "s"}`;
}

function right(one) {
  return one.gold.map((gold, t) => corrected.get(`${one.number},${t}`) ?? gold ?? one.predicted[t]);
}

function saving({ here, layer }, say, again) {
  const changed = found.sentences.filter((one) => one.tokens.some((_, t) => corrected.has(`${one.number},${t}`)));
  const save = async () => { // the file as it was, but for the corrected labels
    const labels = {};
    for (const [key, label] of corrected) {
      const [number, t] = key.split(",");
      (labels[number] ??= {})[t] = label;
    }
    download(`corrected-${file.name}`, "text/plain", await ask("correct", { content: file.content, column: found.column, labels }));
  };
  return [note ? el("p", { class: "remark", role: "status" }, note) : null, el("div", { class: "row" },
    el("button", { type: "button", id: "save-corrected", onclick: () => save().catch((error) => say(error.message, true)) }, `Save the corrected file (${counted(corrected.size, "change")})`),
    here.learns ? el("button", { type: "button", id: "learn", disabled: changed.length === 0, onclick: async () => {
      try {
        const told = await ask("learn", { model: here.name, layer: layer.name, sentences: changed.map((one) => ({ tokens: one.tokens, labels: right(one) })) });
        found = null;
        corrected.clear();
        note = (`The model has learned from ${counted(told.sentences, "sentence")}; it is saved as ${told.saved}.`);
        again();
      } catch (error) {
        say(error.message, true);
      }
    } }, `Learn from ${counted(changed.length, "corrected sentence")}`) : null,
    found.left_out ? el("span", { class: "faint" }, `${number(found.left_out, 0)} sentences with the fewest mistakes are not listed`) : null)];
}
