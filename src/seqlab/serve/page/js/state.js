// What one sees lives in the address: #view=read&model=ner&mode=text&input=...

const DEFAULTS = {
  view: "read", model: "", layer: "", beside: "", mode: "text", input: "", sentence: "0", at: "", rival: "",
  known: "", without: "", zoom: "1", path: "0", step: "forward,1,figure,numbers", weight: "", search: "",
};

export const state = { ...DEFAULTS };
const listeners = new Set();

export function read() {
  const found = new URLSearchParams(location.hash.slice(1));
  for (const name of Object.keys(DEFAULTS)) state[name] = found.get(name) ?? DEFAULTS[name];
}

// Change the state, write it into the address and tell all listeners. A change of view makes an entry of the history.
export function set(changes, { quiet = false } = {}) {
  const moved = changes.view !== undefined && changes.view !== state.view;
  Object.assign(state, changes);
  const told = Object.entries(state).filter(([name, value]) => value !== DEFAULTS[name]);
  const hash = `#${new URLSearchParams(told)}`;
  if (hash !== location.hash) history[moved ? "pushState" : "replaceState"](null, "", hash);
  if (!quiet) for (const listener of listeners) listener();
}

export function listen(listener) {
  listeners.add(listener);
}
