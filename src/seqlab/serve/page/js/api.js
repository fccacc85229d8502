// Ask the service. An error carries the problem that it answered with.

export class Problem extends Error {
  constructor(problem) {
    super(problem.detail ?? problem.title ?? "the service did not answer");
    this.problem = problem;
  }
}

async function answered(response) {
  const kind = response.headers.get("content-type") ?? "";
  const content = kind.includes("json") ? await response.json()
    : new TextDecoder("utf-8", { ignoreBOM: true }).decode(await response.arrayBuffer()); // files keep their mark
  if (!response.ok) throw new Problem(typeof content === "string" ? { detail: content, status: response.status } : content);
  return content;
}

async function fetched(path, options) {
  try {
    return await fetch(path, options);
  } catch {
    throw new Problem({ detail: "the service does not answer; is `seqlab serve` still running?", status: 0 });
  }
}

export async function get(path) {
  return answered(await fetched(path, { headers: { accept: "application/json" } }));
}

export async function ask(question, body, { accept = "application/json", signal } = {}) {
  const headers = { "content-type": "application/json", accept };
  return answered(await fetched(`/v1/${question}`, { method: "POST", headers, body: JSON.stringify(body), signal }));
}
