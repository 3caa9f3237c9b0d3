// @ts-check
/** The view of a saved solve. */

import {get, getKept, item} from "./api.js";
import {crumbs, remember} from "./app.js";
import {compareTool} from "./compare_tool.js";
import {copy, h, notice, put} from "./dom.js";
import {NodeView, listenKeys} from "./node_view.js";
import {whole} from "./text.js";

/** Returns the source of a solve's strategies. */
export function solveSource(id, content) {
  const path = item(id);
  return {
    id,
    players: ["OOP", "IP"],
    made: content.made_hands,
    draws: content.draws,
    title: line => `${content.name}: ${line || "first decision"}`,
    assumes: true,
    node: (line, signal, assumed) => getKept(`${path}/node`, assumed ? {line, as_if: 1} : {line}, signal),
    equity: (line, signal, assumed) => getKept(`${path}/equity`, assumed ? {line, as_if: 1} : {line}, signal),
    cards: (line, cards, what, signal) => getKept(`${path}/cards`, {line, cards: cards.join(""), what: what.join(",")}, signal),
    range: async (line, player, action) => (await get(`${path}/range`, {line, player: player ? "ip" : "oop", action})).range,
  };
}

export async function showSolve(view, {parts, params, signal}) {
  const [id] = parts;
  const {title, content} = await get(item(id), null, signal);
  crumbs([title, `#/solve/${encodeURIComponent(id)}`]);
  const source = {...solveSource(id, content), tools: node => [compareTool(id, node)]};
  const state = {line: params.get("line") || "", player: params.get("player") || "", figure: params.get("figure") || "strategy", hand: params.get("hand") || ""};
  const node = new NodeView(source, state, push => remember(`solve/${encodeURIComponent(id)}`, {...state, figure: state.figure === "strategy" ? "" : state.figure}, !push));
  const facts = h("p.soft.headline", null,
    h("span", {title: `${content.algorithm}, ${whole(content.iterations)} iterations, stored in ${content.storage}`},
      `${content.name}: ${content.board_text}, pot ${whole(content.pot)}, stack ${whole(content.stack)}; exploitability ${content.pct_pot.toFixed(3)} % of the pot `),
    content.locks ? `${content.locks} locks ` : null,
    h("button.quiet", {type: "button", onclick: () => copy(content.spot, "Spot file")}, "Copy as YAML"), " ",
    h("a.quiet", {href: `#/new?from=${encodeURIComponent(id)}`}, "Change and solve"));
  const damage = h("div");
  put(view, h("div.wide", null, facts, damage, node.element));
  listenKeys(node, signal);
  get(`${item(id)}/verify`, null, signal).catch(error => {
    if (error.name === "AbortError") return;
    put(damage, h("div.problem", {role: "alert"}, h("strong", null, "Do not trust these numbers. "), error.message));
    notice(error.message, true);
  });
  await node.load();
}
