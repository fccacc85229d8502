import { el } from "../dom.js";
export const needsAnswer = false;
export function show() { return [el("p", null, "…")]; }
