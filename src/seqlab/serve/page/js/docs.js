// The description of the service, as a page on which every request can be tried.

import { get } from "./api.js";
import { el, show, table } from "./dom.js";

const [description, { models: [first] }] = await Promise.all([get("/openapi.json"), get("/v1/models")]);
const schemas = description.components.schemas;

function typeOf(schema) {
  if (schema.$ref) return schema.$ref.split("/").at(-1);
  if (schema.const) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((one) => JSON.stringify(one)).join(" or ");
  if (Array.isArray(schema.type)) return schema.type.join(" or ");
  return schema.type ?? "one of several";
}

function operation(path, method, about) {
  const content = about.requestBody?.content["application/json"];
  const schema = content?.schema;
  const members = Object.assign({}, ...(schema?.oneOf ?? [schema]).map((one) => one?.properties));
  for (const one of about.parameters ?? []) if (one.in === "query") members[one.name] = { ...one.schema, description: one.description };
  const nodes = [el("h2", null, el("code", null, `${method.toUpperCase()} ${path}`)), el("p", null, about.summary, about.summary.endsWith("?") ? "" : ".")];
  if (Object.keys(members).length) {
    nodes.push(table("Members of the request", ["name", "type", "meaning"], Object.entries(members).map(([name, one]) => [name, typeOf(one), one.description ?? schemas[typeOf(one)]?.description ?? ""])));
  }
  const input = schema ? el("textarea", { rows: "3", "aria-label": `Body of ${path}` }) : null;
  if (input) input.value = JSON.stringify(content.example);
  const output = el("pre", { tabindex: "0", "aria-live": "polite" });
  const go = async () => {
    const options = input ? { method: "POST", headers: { "content-type": "application/json" }, body: input.value } : {};
    const response = await fetch(path.replace("{name}", encodeURIComponent(first.name)).replace("{version}", first.version), options);
    const text = await response.text();
    output.textContent = `${response.status}\n${text.slice(0, 20000)}`;
  };
  nodes.push(input, el("div", { class: "row" }, el("button", { type: "button", onclick: () => go().catch((error) => { output.textContent = error.message; }) }, `Try ${path}`)), output);
  return el("section", { class: "words" }, nodes);
}

show(document.getElementById("main"), el("p", null, description.info.description, " A request has exactly one of tokens, text and batch. Errors are problem details (RFC 9457)."),
  Object.entries(description.paths).flatMap(([path, methods]) => Object.entries(methods).map(([method, about]) => operation(path, method, about))));
