// @ts-check
/** Two places side by side, of one solve or of two, and the difference between them. */

import {get, item} from "./api.js";
import {actionClasses} from "./colours.js";
import {crumbs, remember} from "./app.js";
import {h, put, segments} from "./dom.js";
import {HandGrid} from "./grid.js";
import {Hands} from "./hands.js";
import {solveSource} from "./solve_view.js";
import {CELLS, actionName, chips, percent} from "./text.js";

const AGGRESSIVE = new Set(["bet", "raise", "all-in"]);
const FIGURES = [["bet", "Bets and raises"], ["call", "Checks and calls"], ["fold", "Folds"], ["ev", "EV"], ["evpot", "EV % pot"], ["equity", "Equity"], ["weight", "Weight"]];

/** Returns one figure of an average of hands; null if it is not known. */
function figureOf(cell, place, figure, size) {
  if (!cell) return null;
  if (figure === "weight") return cell.weight / size;
  if (figure === "ev") return cell.ev;
  if (figure === "evpot") return cell.ev === null ? null : cell.ev / place.pot;
  if (figure === "equity") return cell.equity;
  if (!cell.strategy) return null;
  const wanted = action => figure === "bet" ? AGGRESSIVE.has(action.kind) : figure === "fold" ? action.kind === "fold" : ["check", "call"].includes(action.kind);
  return place.actions.reduce((sum, action, i) => sum + (wanted(action) ? cell.strategy[i] : 0), 0);
}

export async function showCompare(view, {params, signal}) {
  const state = {a: params.get("a") || "", line_a: params.get("line_a") || "", b: params.get("b") || "", line_b: params.get("line_b") || "",
    player: params.get("player") || "", figure: params.get("figure") || "bet"};
  crumbs(["Compare", null]);
  const sides = await Promise.all([["a", "line_a"], ["b", "line_b"]].map(async ([name, line]) => {
    const {title, content} = await get(item(state[name]), null, signal);
    const source = solveSource(state[name], content), place = await source.node(state[line], signal);
    if (place.kind !== "decision") throw new Error(`Nobody acts after ${state[line]}.`);
    return {id: state[name], line: state[line], title, source, place, equity: null};
  }));
  const grids = ["First", "Second", "Difference"].map(name => new HandGrid(name, {
    onhover: hand => detail(hand)}));
  const box = h("div.detail"), summary = h("div.scroll"), legend = h("div.legend");
  const player = () => (state.player === "" ? sides[0].place.player : state.player === "ip" ? 1 : 0);
  const save = () => remember("compare", state);

  function cellsOf(side) {
    side.hands = new Hands(side.place, player(), side.equity);
    side.cells = side.hands.cells();
    side.all = side.hands.average(side.hands.combos.map((_, i) => i));
  }

  function paint() {
    sides.forEach(cellsOf);
    sides.forEach((side, k) => {
      const classes = actionClasses(side.hands.acting ? side.place.actions : []);
      grids[k].show(side.cells.map((cell, i) => {
        if (!cell) return {height: 0};
        if (["bet", "call", "fold"].includes(state.figure) && cell.strategy) {
          return {height: Math.max(cell.weight / CELLS[i].size, 0.04), parts: cell.strategy.map((x, n) => [classes[n], x])};
        }
        const value = figureOf(cell, side.place, state.figure, CELLS[i].size);
        if (value === null) return {height: 1, parts: [["a-none", 1]], text: "–"};
        const at = state.figure === "ev" ? value / side.place.pot : value;
        return {height: 1, value: at, text: show(value)};
      }));
    });
    const differences = CELLS.map((cell, i) => {
      const [a, b] = sides.map(side => figureOf(side.cells[i], side.place, state.figure, cell.size));
      return a === null || b === null ? null : b - a;
    });
    const unit = state.figure === "ev" ? Math.max(...differences.map(x => Math.abs(x ?? 0)), 1e-9) : 1;
    grids[2].show(differences.map((x, i) => x === null
      ? {height: sides.some(side => side.cells[i]) ? 1 : 0, parts: [["a-none", 1]], text: sides.some(side => side.cells[i]) ? "only one" : ""}
      : {height: 1, value: 0.5 + x / (2 * unit), text: show(x, true)}));
    put(legend, h("span.scale", null, "less in the second", h("i.ramp"), "equal", h("i.ramp.upper"), "more in the second"));
    put(summary, h("table", null, h("thead", null, h("tr", null, ["", "First", "Second", "Difference"].map(text => h("th", null, text)))),
      h("tbody", null, FIGURES.map(([key, name]) => {
        const [a, b] = sides.map(side => figureOf(side.all, side.place, key, 1326));
        const text = value => (value === null ? "–" : key === "ev" ? chips(value) : percent(value));
        return h("tr", {"data-figure": key}, h("td", null, name), h("td", null, text(a)), h("td", null, text(b)), h("td", null, a === null || b === null ? "–" : text(b - a)));
      }))));
    detail(null);
  }

  function show(value, signed = false) {
    const text = state.figure === "ev" ? chips(Math.abs(value) >= 100 ? Math.round(value) : Math.round(10 * value) / 10) : percent(value, 0);
    return signed && value > 0 ? `+${text}` : text;
  }

  function detail(hand) {
    if (!hand) { put(box, h("span.soft", null, "Point at a hand for both strategies.")); return; }
    const index = CELLS.findIndex(cell => cell.name === hand);
    put(box, h("strong", null, hand), sides.map((side, k) => {
      const cell = side.cells[index];
      return h("span", null, `${k ? "Second" : "First"}: `, !cell ? "not held" : [
        ...(cell.strategy || []).map((x, i) => `${actionName(side.place.actions[i])} ${percent(x)} %`),
        cell.ev === null ? null : `EV ${chips(cell.ev)}`, cell.equity === null ? null : `equity ${percent(cell.equity)} %`].filter(Boolean).join(", "));
    }));
  }

  const head = (side, name) => h("p.compare-head", null, h("strong", null, `${name}: `),
    h("a", {href: `#/solve/${encodeURIComponent(side.id)}?${new URLSearchParams({line: side.line})}`}, `${side.title}, ${side.line || "first decision"}`),
    h("span.soft", null, ` ${side.place.board.join(" ")}, pot ${chips(side.place.pot)}`));
  put(view, h("div.wide", null,
    h("div.grid-head", null,
      segments("Whose hands", [["oop", "OOP"], ["ip", "IP"]], player() ? "ip" : "oop", value => { state.player = value; save(); paint(); }),
      segments("Figure", FIGURES, state.figure, value => { state.figure = value; save(); paint(); })),
    box,
    h("div.three", null, sides.map((side, k) => h("section.panel", null, head(side, k ? "Second" : "First"), grids[k].element)),
      h("section.panel", null, h("p.compare-head", null, h("strong", null, "Difference"), h("span.soft", null, " second less first")), grids[2].element, legend)),
    summary));
  paint();
  document.addEventListener("repaint", () => grids.forEach(grid => grid.repaint()), {signal});
  await Promise.all(sides.map(async side => {
    side.equity = (await side.source.equity(side.line, signal)).equity;
    paint();
  }));
}
