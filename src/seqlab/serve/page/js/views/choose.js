// Choose a sentence, and a token of it.

import { el, shortened } from "../dom.js";

export function sentenceOf({ answer, state }) {
  return answer.sentences[Math.min(Number(state.sentence), answer.sentences.length - 1)];
}

export function chooser({ answer, state, set }, { tokens = false } = {}) {
  const sentence = sentenceOf({ answer, state });
  const nodes = [];
  if (answer.sentences.length > 1) {
    nodes.push(el("label", null, "Sentence ", el("select", {
      id: "sentence", onchange: (event) => set({ sentence: event.target.value, at: "", known: "", rival: "" }),
    }, answer.sentences.map((one, i) => el("option", { value: i, selected: String(i) === state.sentence },
      `${i + 1}: ${one.tokens.join(" ").slice(0, 60)}`)))));
  }
  if (tokens) {
    nodes.push(el("label", null, "Token ", el("select", {
      id: "token", onchange: (event) => set({ at: event.target.value, rival: "" }),
    }, sentence.tokens.map((word, t) => el("option", { value: t, selected: String(t) === state.at }, `${t}: ${shortened(word, 60)}`)))));
  }
  return nodes.length ? el("div", { class: "row" }, nodes) : null;
}
