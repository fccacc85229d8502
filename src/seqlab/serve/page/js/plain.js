// Features and labels in plain words: "suffix(lower(word[0]),2)=rk" is: this word ends in “rk”.

import { el, isolated } from "./dom.js";

const NEAR = { "-2": "the word two places before", "-1": "the word before", "0": "this word", "1": "the next word", "2": "the word two places after",
  "@0": "the first word", "@-1": "the last word", "@-2": "the last word but one" };
const TESTS = {
  is_title: "begins with a capital", is_capitalized: "begins with a capital", is_upper: "has no small letters", is_lower: "has no capitals",
  is_digit: "is a number", is_alpha: "has letters only", is_alnum: "has letters and digits only", is_punct: "is a punctuation mark", is_ascii: "is ASCII",
  has_digit: "has a digit", has_alpha: "has a letter", has_upper: "has a capital", has_lower: "has a small letter", has_hyphen: "has a hyphen", has_punct: "has a punctuation mark",
};
const SHAPES = { x: "has small letters only", Xx: "has a capital, then small letters", X: "has capitals only", 0: "has digits only" };
const SAID = {
  lower: (value) => `is “${isolated(value)}”`, upper: (value) => `is “${isolated(value)}”`, lower_ascii: (value) => `is “${isolated(value)}”`,
  prefix: (value) => `begins with “${isolated(value)}”`, suffix: (value) => `ends in “${isolated(value)}”`, length: (value) => `has ${value} ${value === "1" ? "character" : "characters"}`,
  shape: (value) => `has the shape ${value}`, short_shape: (value) => SHAPES[value] ?? `has the shape ${value}`, ngrams: (value) => `contains “${isolated(value)}”`,
};
const ALONE = {
  bias: () => "of what holds for every word", first: () => "it is the first word", last: () => "it is the last word", position: (value) => `it has the place ${value}, counted from 0`,
  from_end: (value) => `it has the place ${value} from the end`, sentence_length: (value) => `the sentence has ${value} words`,
};

function atom(name, value) {
  if (Object.hasOwn(ALONE, name)) return ALONE[name](value);
  const outer = /^([a-z_]+)\((.*)\)$/.exec(name);
  const where = /([A-Za-z_]\w*)\[(@?-?\d+)\]/.exec(name);
  if (!where || !Object.hasOwn(NEAR, where[2])) return null;
  const who = where[1] === "word" ? NEAR[where[2]] : `the ${where[1]} of ${NEAR[where[2]]}`;
  if (value === "<s>") return "there is no word so far before it";
  if (value === "</s>") return "there is no word so far behind it";
  if (!outer) return name === where[0] ? `${who} is “${isolated(value)}”` : null;
  if (Object.hasOwn(TESTS, outer[1])) return value === "yes" ? `${who} ${TESTS[outer[1]]}` : null;
  return Object.hasOwn(SAID, outer[1]) ? `${who} ${SAID[outer[1]](value)}` : null;
}

// A feature in words, or null where there are none for it.
export function plain(attribute) {
  const at = attribute.indexOf("=");
  const names = (at < 0 ? attribute : attribute.slice(0, at)).split("&");
  const text = at < 0 ? "" : attribute.slice(at + 1);
  const values = names.length === 1 ? [text] : text.split("|");
  if (values.length !== names.length) return null;
  const parts = names.map((name, i) => atom(name, values[i]));
  return parts.includes(null) ? null : [...new Set(parts)].join(", and ");
}

const PLACES = { B: "the first word of", I: "a further word of", E: "the last word of", L: "the last word of", S: "the only word of", U: "the only word of" };
const KINDS = { PER: "a person's name", LOC: "the name of a place", ORG: "the name of an organisation", MISC: "a name of another kind" };
const TAGS = {
  ADJ: "an adjective", ADP: "a preposition", ADV: "an adverb", AUX: "an auxiliary verb", CCONJ: "a conjunction", DET: "an article or the like", INTJ: "an interjection", NOUN: "a noun",
  NUM: "a number", PART: "a particle", PRON: "a pronoun", PROPN: "a name", PUNCT: "a punctuation mark", SCONJ: "a conjunction", SYM: "a symbol", VERB: "a verb", X: "something else",
};

// What a label says, or null.
export function meaning(label, labels) {
  const spans = labels.some((one) => /^[BIESLU]-/.test(one));
  const found = /^([BIESLU])-(.+)$/.exec(label);
  if (found) return `${PLACES[found[1]]} ${Object.hasOwn(KINDS, found[2]) ? KINDS[found[2]] : found[2]}`;
  if (spans) return label === "O" ? "no part of a name or other span" : null;
  return Object.hasOwn(TAGS, label) ? TAGS[label] : null;
}

// What a type of spans says, or null.
export function meaningOfType(type) {
  return Object.hasOwn(KINDS, type) ? KINDS[type] : null;
}

// A feature in words, with its name in the model beside it.
export function told(attribute, more = "", where = "") {
  const said = plain(attribute), name = `${attribute}${more}`;
  return said === null ? `${name}${where}` : el("span", null, `${said}${where} `, el("code", { class: "faint" }, name));
}
