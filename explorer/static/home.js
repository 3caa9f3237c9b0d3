// @ts-check
/** The start page: everything that was opened. */

import {get} from "./api.js";
import {crumbs} from "./app.js";
import {h, put} from "./dom.js";

const KINDS = {
  solve: ["Saved solves", "solve"],
  player: ["Our player", "pack"],
  limit: ["Limit hold'em", "limit"],
  blueprint: ["Blueprints", "pack"],
  flops: ["Flop packs", "flops"],
  exact: ["Exact flop packs", "flops"],
  tournament: ["Matches and tournaments", "match"],
  log: ["Hand histories", "match"],
  graded: ["Graded hands", "graded"],
  tree: ["Betting trees", "tree"],
};

export async function showHome(view, {signal}) {
  crumbs();
  const {items, can_solve: canSolve} = await get("items", null, signal);
  const groups = new Map();
  for (const each of items) {
    const [title, route] = KINDS[each.kind] || [each.kind, each.kind];
    if (!groups.has(title)) groups.set(title, []);
    groups.get(title).push(h("a.tile", {href: `#/${route}/${encodeURIComponent(each.id)}`},
      h("strong", null, each.title), h("span.soft", null, each.note || each.path)));
  }
  put(view, h("div.page", null,
    h("h1", null, "What do you want to look at?"),
    canSolve ? h("p", null, h("a.button", {href: "#/new"}, "Solve a new spot"), " ", h("a.button", {href: "#/drill"}, "Drill")) : null,
    [...groups].map(([title, tiles]) => h("section", null, h("h2", null, title), h("div.tiles", null, tiles))),
    items.length ? null : h("p.soft", null, "Nothing is open. Start hedgehog explore with the path of a solve, a pack, a log or a tree.")));
}
