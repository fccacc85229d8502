// The description of the service, as a page on which every request can be tried.

import { get } from "./api.js";
import { el, show, table } from "./dom.js";

const EXAMPLES = {
  tag: { tokens: ["Anna", "sings"] }, nbest: { tokens: ["Anna", "sings"], n: 3 }, posterior: { tokens: ["Anna", "sings"] },
  explain: { tokens: ["Anna", "sings"], at: 0 }, sample: { tokens: ["Anna", "sings"], n: 2, seed: 1 },
  trellis: { tokens: ["Anna", "sings"] }, steps: { tokens: ["Anna", "sings"] },
};

function typeOf(schema) {
  if (schema.$ref) return schema.$ref.split("/").at(-1);
  if (schema.enum) return schema.enum.map((one) => JSON.stringify(one)).join(" or ");
  return schema.type ?? "one of several";
}

function operation(path, method, about) {
  const schema = about.requestBody?.content["application/json"].schema;
  const members = Object.assign({}, ...(schema?.oneOf ?? []).map((one) => one.properties));
  const nodes = [el("h2", null, el("code", null, `${method.toUpperCase()} ${path}`)), el("p", null, about.summary, ".")];
  if (schema) {
    nodes.push(table("Members of the request", ["name", "type", "meaning"], Object.entries(members).map(([name, one]) => [name, typeOf(one), one.description ?? ""])));
  }
  const input = schema ? el("textarea", { rows: "3", "aria-label": `Body of ${path}` }) : null;
  if (input) input.value = JSON.stringify(EXAMPLES[about.operationId]);
  const output = el("pre", { tabindex: "0", "aria-live": "polite" });
  const go = async () => {
    const options = input ? { method: "POST", headers: { "content-type": "application/json" }, body: input.value } : {};
    const response = await fetch(path, options);
    const text = await response.text();
    output.textContent = `${response.status}\n${text.slice(0, 20000)}`;
  };
  if (!path.includes("{")) {
    nodes.push(input, el("div", { class: "row" }, el("button", { type: "button", onclick: () => go().catch((error) => { output.textContent = error.message; }) }, `Try ${path}`)), output);
  }
  return el("section", null, nodes);
}

const description = await get("/openapi.json");
show(document.getElementById("main"), el("p", null, description.info.description, " A request has exactly one of tokens, text and batch. Errors are problem details (RFC 9457)."),
  Object.entries(description.paths).flatMap(([path, methods]) => Object.entries(methods).map(([method, about]) => operation(path, method, about))));
