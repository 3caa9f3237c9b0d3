// @ts-check
/** Keeps one place to compare the next one with. */

import {h, memory, notice} from "./dom.js";

/** Returns the button that keeps a place, or compares the present one with the place that is kept. */
export function compareTool(id, node) {
  const kept = () => { try { return JSON.parse(memory.get("compare", "null")); } catch { return null; } };
  const button = h("button.quiet", {type: "button", title: "Keep this place; then go to another place and press again", onclick: () => {
    const first = kept();
    if (first && (first.id !== id || first.line !== node.state.line)) {
      memory.set("compare", "null");
      location.hash = `#/compare?${new URLSearchParams({a: first.id, line_a: first.line, b: id, line_b: node.state.line})}`;
    } else {
      memory.set("compare", JSON.stringify({id, line: node.state.line}));
      notice("Kept. Go to another decision, here or in another solve, and press Compare again.");
    }
  }}, "Compare");
  return button;
}
