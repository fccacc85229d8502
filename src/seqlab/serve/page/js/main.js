// The page: input, models, tabs. Each view is a module with show(context), which returns nodes.

import { get } from "./api.js";
import { labelled } from "./answer.js";
import { colour, el, show, typeOf } from "./dom.js";
import { listen, read, set, state } from "./state.js";
import * as reading from "./views/read.js";
import * as trellis from "./views/trellis.js";
import * as why from "./views/why.js";
import * as whatif from "./views/whatif.js";
import * as steps from "./views/steps.js";
import * as data from "./views/data.js";
import * as model from "./views/model.js";

const VIEWS = {
  read: ["Read", reading], trellis: ["Trellis", trellis], why: ["Why", why], whatif: ["What if", whatif],
  steps: ["Step by step", steps], data: ["Data", data], model: ["Model", model],
};
const FIRST = "Anna Weber lives in New York. She works for the Emerald Arrow.";
const $ = (id) => document.getElementById(id);

// What a line is for models that read no words.
const READS = {
  vector: "This model reads vectors: a token is a line of numbers, divided by blanks.",
  attributes: "This model reads attributes: a token is a line of them, such as word=the, divided by tabs.",
};

let models = [];
let untouched = true; // nothing was asked yet
let latest = 0;
let kept = { key: "", answer: null };

export function say(text, wrong = false) {
  $("status").textContent = text;
  $("status").classList.toggle("wrong", wrong);
}

const served = (name) => models.find((one) => one.name === name) ?? models[0];
const layerOf = (one) => one.layers.find((layer) => layer.name === state.layer) ?? one.layers.at(-1);

function tabs() {
  const button = ([name, [title]]) => el("button", {
    type: "button", role: "tab", id: `tab-${name}`, "aria-selected": String(state.view === name),
    "aria-controls": "main", tabindex: state.view === name ? "0" : "-1", onclick: () => set({ view: name }),
  }, title);
  const held = document.activeElement?.getAttribute("role") === "tab";
  show($("tabs"), Object.entries(VIEWS).map(button));
  $("main").setAttribute("aria-labelledby", `tab-${state.view}`);
  if (held) $(`tab-${state.view}`).focus();
}

function controls() {
  const here = served(state.model);
  const options = (select, values, chosen) => show(select, values.map(([value, text]) =>
    el("option", { value, selected: value === chosen }, text)));
  options($("model"), models.map((one) => [one.name, one.name]), here.name);
  options($("layer"), here.layers.map((one) => [one.name, one.name]), layerOf(here).name);
  options($("beside"), [["", "none"], ...models.filter((one) => one !== here).map((one) => [one.name, one.name])], state.beside);
  $("layer-choice").hidden = here.layers.length < 2;
  $("beside-choice").hidden = models.length < 2;
  if ($("input").value !== state.input) $("input").value = state.input;
  for (const radio of document.getElementsByName("mode")) {
    radio.checked = radio.value === state.mode;
    if (radio.value === "text") radio.disabled = !here.reads_text;
  }
  const columns = layerOf(here).columns.join(", ");
  $("input-help").textContent = here.reads_text ? "" : READS[columns] ?? `This model reads tokens with the columns ${columns}.`;
}

// The answer for the input under a model; asked once.
async function answerOf(name) {
  const key = JSON.stringify([name, served(name).version, state.layer, state.mode, state.input]);
  if (kept.key !== key) {
    const layer = layerOf(served(name));
    const answer = await labelled({ ...state, probabilities: layer.probabilities, columns: layer.columns }, name, layer.name);
    if (name !== served(state.model).name) return answer;
    kept = { key, answer };
  }
  return kept.answer;
}

// What a link names and is not served here, so that nobody takes one model's answer for another's.
function absent() {
  const here = served(state.model);
  if (state.model && here.name !== state.model) return `There is no model ${state.model} here; this is ${here.name}.`;
  if (state.layer && layerOf(here).name !== state.layer) return `The model ${here.name} has no layer ${state.layer}; this is ${layerOf(here).name}.`;
  return state.beside && served(state.beside).name !== state.beside ? `There is no model ${state.beside} here to stand beside ${here.name}.` : "";
}

async function draw() {
  const turn = ++latest;
  try {
    const found = (await get("/v1/models")).models; // each time: files are replaced, and models learn
    if (turn !== latest) return;
    models = found;
    for (const layer of models.flatMap((one) => one.layers)) layer.labels.forEach((label) => colour(typeOf(label)));
    const here = served(state.model);
    if (untouched && !state.input && here.reads_text) state.input = FIRST;
    untouched = false;
    if (!here.reads_text && state.mode === "text") set({ mode: "tokens" }, { quiet: true });
    tabs();
    controls();
    const view = VIEWS[state.view]?.[1] ?? reading;
    const context = { state, set, say, models, here, layer: layerOf(here), served, answerOf };
    if (view.needsAnswer !== false) context.answer = await answerOf(here.name);
    const nodes = await view.show(context);
    if (turn !== latest) return;
    say(absent());
    const held = focused();
    show($("main"), nodes);
    held?.();
  } catch (error) {
    if (turn !== latest) return;
    const again = () => set({ known: "", without: "", rival: "", step: "", at: "", sentence: "0" });
    show($("main"), error.problem ? el("button", { type: "button", onclick: again }, "Start again") : null); // what was wished cannot be
    say(error.message, true);
    if (!error.problem) throw error;
  }
}

// Where the keyboard is: a function that goes back there once the view is drawn anew.
function focused() {
  const main = $("main"), now = document.activeElement;
  if (!main.contains(now) || now === main) return null;
  const all = () => [...main.querySelectorAll("a, button, input, select, summary, [tabindex]")];
  const name = (one) => one.id || `${one.tagName} ${one.getAttribute("aria-label") ?? one.textContent}`;
  const place = all().indexOf(now), wanted = name(now);
  return () => {
    const found = all(), same = found.filter((one) => name(one) === wanted);
    (same.includes(found[place]) ? found[place] : same[0] ?? found[place])?.focus({ preventScroll: true });
  };
}

function theme(chosen) {
  document.documentElement.dataset.theme = chosen;
  const dark = chosen === "dark";
  $("theme").setAttribute("aria-pressed", String(dark));
  $("theme").textContent = dark ? "Light" : "Dark";
}

// The theme of the last visit, or the one to keep; null where browsers let pages keep nothing.
function remembered(chosen) {
  try {
    if (chosen) localStorage.setItem("seqlab-theme", chosen);
    return localStorage.getItem("seqlab-theme");
  } catch {
    return null;
  }
}

async function start() {
  read();
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  theme(remembered() ?? (dark ? "dark" : "light"));
  $("theme").addEventListener("click", () => {
    theme(document.documentElement.dataset.theme === "dark" ? "light" : "dark");
    remembered(document.documentElement.dataset.theme); // only what was chosen: systems change theirs
  });
  $("ask").addEventListener("submit", (event) => {
    event.preventDefault();
    const mode = [...document.getElementsByName("mode")].find((one) => one.checked).value;
    set({ input: $("input").value, mode, sentence: "0", at: "", known: "", rival: "" });
  });
  $("input").addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) $("ask").requestSubmit();
  });
  $("model").addEventListener("change", (event) => set({ model: event.target.value, layer: "", beside: "", at: "", known: "", rival: "" }));
  $("layer").addEventListener("change", (event) => set({ layer: event.target.value, at: "", known: "", rival: "" }));
  $("beside").addEventListener("change", (event) => set({ beside: event.target.value }));
  $("copy").addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(location.href);
      say("The link is copied; it shows what you see.");
    } catch { // browsers let pages copy on this machine and by HTTPS only
      say("This browser does not let the page copy. Copy its address instead: it shows what you see.");
    }
  });
  $("tabs").addEventListener("keydown", (event) => {
    const names = Object.keys(VIEWS);
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step) set({ view: names[(names.indexOf(state.view) + step + names.length) % names.length] });
  });
  addEventListener("hashchange", () => { read(); draw(); });
  addEventListener("popstate", () => { read(); draw(); });
  listen(draw);
  await draw();
}

start();
