// @ts-check
/** Chooses the view by the part of the address behind "#". */

import {forgetColours} from "./colours.js";
import {h, memory, mended, problem, put} from "./dom.js";
import {showHome} from "./home.js";
import {KEYS} from "./keys.js";

const VIEWS = {
  "": async () => showHome,
  solve: async () => (await import("./solve_view.js")).showSolve,
  compare: async () => (await import("./compare.js")).showCompare,
  pack: async () => (await import("./pack_view.js")).showPack,
  limit: async () => (await import("./limit_view.js")).showLimit,
  flops: async () => (await import("./flops_view.js")).showFlops,
  new: async () => (await import("./form_view.js")).showForm,
  match: async () => (await import("./match_view.js")).showMatch,
  hand: async () => (await import("./replay_view.js")).showHand,
  drill: async () => (await import("./drill_view.js")).showDrill,
  graded: async () => (await import("./graded_view.js")).showGraded,
  tree: async () => (await import("./tree_view.js")).showTree,
};

/** The address as parts and parameters: #/solve/my-solve?line=X */
export function place() {
  const [path, query] = location.hash.replace(/^#\/?/, "").split("?");
  return {parts: path.split("/").map(decodeURIComponent), params: new URLSearchParams(query || "")};
}

const DARK = matchMedia("(prefers-color-scheme: dark)");
let leave = () => {};
let turn = 0;

async function route() {
  const view = document.getElementById("view"), mine = ++turn;
  const {parts, params} = place();
  const make = VIEWS[parts[0]];
  leave();
  leave = () => {};
  mended();
  try {
    if (!make) throw new Error(`There is no view ${parts[0]}.`);
    const show = await make();
    if (mine !== turn) return;
    const ended = new AbortController();
    leave = () => ended.abort();
    await show(view, {parts: parts.slice(1), params, signal: ended.signal});
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") return;
    if (mine === turn) put(view, h("div.page", null, problem(error), h("p", null, h("a", {href: "#/"}, "Back to the start"))));
  }
}

/** Shows where the reader is. @param {Array<[string, string|null]>} parts text and address */
export function crumbs(...parts) {
  put(document.getElementById("crumbs"), parts.map(([text, address]) =>
    h("span.crumb", null, address ? h("a", {href: address}, text) : text)));
  document.title = `${parts.map(part => part[0]).join(" · ") || "Start"} – Hedgehog explorer`;
}

/** Changes the address without making a new view. */
export function remember(path, params, replace = true) {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(params)) if (value) query.set(key, value);
  const text = `#/${path}${query.size ? `?${query}` : ""}`;
  if (location.hash !== text) history[replace ? "replaceState" : "pushState"](null, "", text);
}

function theme(value) {
  document.documentElement.dataset.theme = value || (DARK.matches ? "dark" : "light");
  forgetColours();
  document.dispatchEvent(new CustomEvent("repaint"));
}

function start() {
  const patterns = document.getElementById("patterns");
  const setPatterns = on => {
    document.documentElement.classList.toggle("patterns", on);
    patterns.setAttribute("aria-pressed", String(on));
    memory.set("patterns", on ? "on" : "off");
  };
  setPatterns(memory.get("patterns", "on") === "on");
  patterns.addEventListener("click", () => setPatterns(!document.documentElement.classList.contains("patterns")));
  theme(memory.get("theme", ""));
  document.getElementById("theme").addEventListener("click", () => {
    const next = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    memory.set("theme", next);
    theme(next);
  });
  DARK.addEventListener("change", () => theme(memory.get("theme", "")));
  const keys = document.getElementById("keys");
  const help = () => {
    put(keys, h("h2", null, "Keys"), h("table", null, h("tbody", null,
      KEYS.map(([key, text]) => h("tr", null, h("td", null, h("kbd", null, key)), h("td.left", null, text))))),
      h("form", {method: "dialog"}, h("button", null, "Close")));
    keys.showModal();
  };
  document.getElementById("help").addEventListener("click", help);
  document.addEventListener("keydown", event => {
    if (event.key === "?" && !/^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement.tagName)) help();
  });
  addEventListener("hashchange", route);
  route();
}
start();
