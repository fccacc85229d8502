// Pin or forbid labels, edit tokens, and see the sentence decoded anew, old and new side by side; or two models.

import { edited, word } from "../answer.js";
import { ask } from "../api.js";
import { el, colour, percent, typeOf } from "../dom.js";
import { chooser, sentenceOf } from "./choose.js";

// "3:PER,5:!O" in the address: token 3 is PER, token 5 is not O.
function wishes(text) {
  const known = new Map(), without = new Map();
  for (const one of text.split(",").filter(Boolean)) {
    const at = Number(one.slice(0, one.indexOf(":"))), label = decodeURIComponent(one.slice(one.indexOf(":") + 1));
    if (label.startsWith("!")) without.set(at, [...(without.get(at) ?? []), label.slice(1)]);
    else known.set(at, label);
  }
  return { known, without };
}

function written({ known, without }) {
  const told = [...known].map(([t, label]) => `${t}:${encodeURIComponent(label)}`);
  for (const [t, labels] of without) told.push(...labels.map((label) => `${t}:${encodeURIComponent(`!${label}`)}`));
  return told.join(",");
}

export async function show(context) {
  const { state, set, here, layer, answer, models, served } = context;
  if (answer.sentences.length === 0) return [el("p", { class: "hint" }, "Type something above.")];
  const sentence = sentenceOf(context);
  const { known, without } = wishes(state.known);
  const edits = new Map(state.without.split("\u0001").filter(Boolean).map((one) => [Number(one.split("\u0002")[0]), one.split("\u0002")[1]]));
  const cells = sentence.cells.map((cell, t) => edits.has(t) ? edited(cell, edits.get(t)) : cell);
  const inside = (map) => Object.fromEntries([...map].filter(([t]) => t < cells.length));
  const allowed = Object.fromEntries([...without].filter(([t]) => t < cells.length && !known.has(t))
    .map(([t, labels]) => [t, layer.labels.filter((label) => !labels.includes(label))]));
  const body = { model: here.name, layer: layer.name, tokens: cells, known: inside(known), allowed, spans: true, probabilities: layer.probabilities || undefined };
  const fresh = await ask("tag", body);
  const other = models.length > 1 && state.beside && served(state.beside).name === state.beside ? served(state.beside) : null;
  const beside = other ? await ask("tag", { model: other.name, tokens: cells, spans: true, probabilities: other.layers.at(-1).probabilities || undefined }) : null;
  const alike = other?.layers.at(-1).labels.some((label) => layer.labels.includes(label)); // otherwise every label differs
  const words = cells.map(word);
  const change = (changes) => set({ known: written({ known, without, ...changes }) });
  const rows = words.map((text, t) => {
    const options = [["", "free"], ...layer.labels.map((label) => [label, `is ${label}`]), ...layer.labels.map((label) => [`!${label}`, `is not ${label}`])];
    const chosen = known.get(t) ?? (without.get(t)?.length ? `!${without.get(t)[0]}` : "");
    return el("tr", null,
      el("td", { class: "cells" }, el("input", { "aria-label": `Token ${t}`, dir: "auto", value: text, onchange: (event) => {
        edits.set(t, event.target.value);
        set({ without: [...edits].map(([at, value]) => `${at}\u0002${value}`).join("\u0001") });
      } })),
      el("td", null, el("select", { "aria-label": `Label of ${text}`, onchange: (event) => {
        known.delete(t);
        without.delete(t);
        if (event.target.value.startsWith("!")) without.set(t, [event.target.value.slice(1)]);
        else if (event.target.value) known.set(t, event.target.value);
        change({});
      } }, options.map(([value, name]) => el("option", { value, selected: value === chosen }, name)))),
      el("td", null, tag(sentence.labels[t], sentence.probabilities?.[t])),
      el("td", { class: fresh.labels[t] === sentence.labels[t] ? "" : "changed" }, tag(fresh.labels[t], fresh.probabilities?.[t])),
      beside ? el("td", { class: !alike || beside.labels[t] === fresh.labels[t] ? "" : "changed" }, tag(beside.labels[t], beside.probabilities?.[t])) : null);
  });
  const changed = fresh.labels.filter((label, t) => label !== sentence.labels[t]).length;
  return [
    chooser(context),
    el("p", { class: "hint" }, "Say what a label must or must not be, or edit a word: the sentence is decoded anew. Changes are shaded."),
    el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "What if" }, el("table", null,
      el("caption", null, changed === 0 ? "No label has changed." : `${changed} ${changed === 1 ? "label has" : "labels have"} changed.`),
      el("thead", null, el("tr", null, ["token", "wish", "before", "now", ...(beside ? [other.name] : [])].map((name) => el("th", { scope: "col" }, name)))),
      el("tbody", null, rows))),
    el("div", { class: "row" }, el("button", { type: "button", onclick: () => set({ known: "", without: "" }) }, "Start again")),
  ];
}

function tag(label, chance) {
  return el("span", { class: colour(typeOf(label)) }, label, " ", el("span", { class: "faint" }, percent(chance)));
}
