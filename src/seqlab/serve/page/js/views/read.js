// Labels as coloured spans, with probabilities.

import { el, colour, percent, typeOf } from "../dom.js";
import { meaning, meaningOfType } from "../plain.js";

const DOUBT = 0.6;

export function show({ answer, set, state, layer }) {
  if (answer.sentences.length === 0) return [el("p", { class: "hint" }, "Type something above.")];
  const spans = answer.sentences.some((sentence) => sentence.spans.length > 0);
  return [
    el("p", { class: "hint" }, "Click a word to see why it has its label. ",
      answer.sentences.some((one) => one.probabilities) ? "Numbers say how sure the model is, from 0 to 1; a wavy line marks a label that it doubts." : ""),
    ...answer.sentences.map((sentence, i) => el("p", { class: "sentence", dir: "auto" }, spans ? inSpans(sentence, i) : inTags(sentence, i))),
    el("p", { class: "hint" }, legend(spans)),
  ];

  // What the labels above mean, where it is known.
  function legend(spans) {
    const found = answer.sentences.flatMap((one) => spans ? one.spans.map((span) => span.label) : one.labels);
    return [...new Set(found)].sort().map((one) => [one, spans ? meaningOfType(one) : meaning(one, layer.labels)])
      .filter((one) => one[1]).map(([one, says]) => `${one}: ${says}. `);
  }

  function word(sentence, i, t, small) {
    const chance = sentence.probabilities?.[t];
    const told = `${sentence.tokens[t]}: ${sentence.labels[t]}${chance === undefined ? "" : `, probability ${percent(chance)}`}`;
    return [sentence.gaps[t] ? " " : null, el("button", {
      type: "button", class: `token${chance < DOUBT ? " doubt" : ""}${state.at === String(t) && state.sentence === String(i) ? " chosen" : ""}`,
      title: told, "aria-label": `${told}. Why?`, onclick: () => set({ view: "why", sentence: String(i), at: String(t), rival: "" }),
    }, sentence.tokens[t], small)];
  }

  function inTags(sentence, i) {
    return sentence.tokens.map((_, t) => word(sentence, i, t,
      el("span", { class: `tag ${colour(typeOf(sentence.labels[t]))}` }, sentence.labels[t], " ", percent(sentence.probabilities?.[t]))));
  }

  function inSpans(sentence, i) {
    const nodes = [];
    for (let t = 0; t < sentence.tokens.length;) {
      const span = sentence.spans.find((one) => one.begin === t);
      if (!span) {
        nodes.push(word(sentence, i, t++));
        continue;
      }
      const words = [];
      for (; t < span.end; ++t) words.push(word(sentence, i, t));
      nodes.push(" ", el("span", { class: `span ${colour(span.label)}` }, words,
        el("span", { class: "name" }, span.label, " ", percent(span.probability))));
    }
    return nodes;
  }
}
