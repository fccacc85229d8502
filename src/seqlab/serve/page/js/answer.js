// The labelled input: sentences of tokens with labels, probabilities and spans, for the chosen model and layer.

import { ask } from "./api.js";

// One form for text and for tokens: {text, sentences: [{tokens, cells, labels, probabilities, spans}]}.
// cells are what the service is asked with; spans count tokens of their sentence.
export async function labelled(chosen, model, layer) {
  const base = { model, layer: layer || undefined };
  return chosen.mode === "text" ? ofText(chosen, base) : ofTokens(chosen, base);
}

async function ofText(chosen, base) {
  const found = await ask("tag", { ...base, text: chosen.input, probabilities: true, offsets: "utf-16" });
  const layers = Object.entries(found.layers);
  const [name, last] = layers.find(([one]) => one === base.layer) ?? layers.at(-1);
  const others = layers.filter(([one, value]) => one !== name && value.labels);
  return {
    text: found.text,
    sentences: found.sentences.map((sentence) => {
      const [first, end] = sentence.tokens;
      const tokens = found.tokens.slice(first, end);
      const number = new Map(tokens.map((token, t) => [token.begin, t]));
      const ends = new Map(tokens.map((token, t) => [token.end, t + 1]));
      const inside = last.spans.filter((span) => number.has(span.begin) && ends.has(span.end));
      return {
        tokens: tokens.map((token) => token.text),
        gaps: tokens.map((token, t) => t === 0 ? "" : found.text.slice(tokens[t - 1].end, token.begin)),
        cells: tokens.map((token, t) => others.length === 0 ? token.text
          : { word: token.text, ...Object.fromEntries(others.map(([one, value]) => [one, value.labels[first + t]])) }),
        labels: last.labels.slice(first, end),
        probabilities: sentence.probabilities ?? null,
        spans: inside.map((span) => ({ ...span, begin: number.get(span.begin), end: ends.get(span.end) })),
      };
    }),
  };
}

async function ofTokens(chosen, base) {
  const sentences = parsed(chosen.input, chosen.columns);
  if (sentences.length === 0) return { text: "", sentences: [] };
  const ask_ = { ...base, batch: sentences, spans: true };
  const found = await ask("tag", { ...ask_, probabilities: chosen.probabilities || undefined });
  return {
    text: chosen.input,
    sentences: sentences.map((cells, i) => ({
      tokens: cells.map(word),
      gaps: cells.map((_, t) => t === 0 ? "" : " "),
      cells,
      labels: found.results[i].labels,
      probabilities: found.results[i].probabilities ?? null,
      spans: found.results[i].spans ?? [],
    })),
  };
}

// Lines of cells divided by tabs, sentences by blank lines; a single line without tabs is a sentence of words.
// Models of vectors read numbers, and models of attributes read lists of them, whatever their number.
export function parsed(input, columns = []) {
  const lines = input.replace(/\r\n?/g, "\n").split("\n");
  const full = lines.filter((line) => line.trim() !== "");
  const kind = columns.length === 1 ? columns[0] : "";
  const cells = (line) => kind === "vector" ? numbers(line) : kind === "attributes" || line.includes("\t") ? line.split("\t") : line.trim();
  if (full.length === 1 && typeof cells(full[0]) === "string") return [full[0].trim().split(/\s+/)];
  const sentences = [[]];
  for (const line of lines) {
    if (line.trim() === "") sentences.push([]);
    else sentences.at(-1).push(cells(line));
  }
  return sentences.filter((sentence) => sentence.length > 0);
}

// What is no number stays as it is; the service says what is wrong with it.
function numbers(line) {
  return line.trim().split(/[\s,;]+/).map((one) => Number.isFinite(Number(one)) ? Number(one) : one);
}

// A token as one shows it, and a token whose text was edited.
export function word(cell) {
  if (!Array.isArray(cell)) return typeof cell === "string" ? cell : cell.word;
  return typeof cell[0] === "number" ? cell.join(" ") : cell[0];
}

export function edited(cell, text) {
  if (typeof cell === "string") return text;
  if (!Array.isArray(cell)) return { ...cell, word: text };
  return typeof cell[0] === "number" ? numbers(text) : [text, ...cell.slice(1)];
}
