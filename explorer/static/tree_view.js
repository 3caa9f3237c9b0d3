// @ts-check
/** A betting tree of real hands: expandable, with counts, shares, pots and sizes. */

import {get, getKept, item} from "./api.js";
import {crumbs} from "./app.js";
import {copy, download, h, notice, put, select} from "./dom.js";
import {percent, whole} from "./text.js";

const KINDS = {f: "a-fold", c: "a-call", r: "a-bet1"};

export async function showTree(view, {parts, signal}) {
  const [id] = parts, path = item(id);
  const {title, content} = await get(path, null, signal);
  crumbs([title, `#/tree/${encodeURIComponent(id)}`]);
  let depth = "3";
  const tree = h("ul.tree", {role: "tree", "aria-label": "Betting tree"});
  const text = h("pre.text", {hidden: true}), picture = h("section.size-picture", {hidden: true, "aria-label": "Sizes"});
  let asked = 0;

  async function expand(row) {
    const {children} = await getKept(`${path}/children`, {path: row.node.path}, signal);
    row.list.replaceChildren(...children.map(child => makeRow(child, row.node)));
    row.element.setAttribute("aria-expanded", "true");
    row.list.hidden = false;
  }

  function toggle(row) {
    if (!row.node.children) return;
    if (row.element.getAttribute("aria-expanded") === "true") {
      row.element.setAttribute("aria-expanded", "false");
      row.list.hidden = true;
    } else expand(row).catch(error => notice(error.message, true));
  }

  function makeRow(node, above) {
    const share = above && above.hands ? node.hands / above.hands : null;
    const list = h("ul", {role: "group", hidden: true});
    const street = above && (node.street !== above.street || above.path === "") ? `${node.street[0].toUpperCase()}${node.street.slice(1)}: ` : "";
    const row = {node, list, element: null};
    row.element = h("li", {role: "treeitem", tabindex: -1, "aria-expanded": node.children ? "false" : null, "data-path": node.path},
      h("div.tree-row", {onclick: () => { focus(row.element); toggle(row); }},
        h("span.twist", {"aria-hidden": true}, node.children ? "▸" : ""),
        h("span.tree-name", null, node.action ? h(`i.swatch.${KINDS[node.action]}`) : null, street, node.seat ? `${node.seat} ` : "", node.name),
        h("span.tree-count", null, whole(node.hands)),
        h("span.tree-share", null, share === null ? "" : `${percent(share)} %`, h("span.mini-bar", null, share === null ? null : h(`i.${KINDS[node.action] || "a-weight"}`, {style: {width: `${100 * share}%`}}))),
        h("span.soft.tree-pot", null, node.pot === null ? "" : `pot ${node.pot.toFixed(1)} bb`),
        h("span.soft", null, node.sizes.map(([size, part]) => `${size} ${percent(part, 0)} %`).join(", "))),
      list);
    row.element.row = row;
    return row.element;
  }

  /** Shows how often each size of a bet occurs, below the tree. */
  async function showSizes(node) {
    const number = ++asked;
    const {name, bets, bars} = node.sizes.length ? await getKept(`${path}/histogram`, {path: node.path}, signal) : {bars: []};
    if (number !== asked) return;
    const largest = Math.max(...bars.map(bar => bar[2]), 0);
    picture.hidden = !bars.length;
    put(picture, bars.length ? [h("h2", null, name), h("p.soft", null, `${whole(bets)} bets and raises; a is all-in`),
      h("table.size-bars", null, h("tbody", null, bars.map(([size, count, share]) => h("tr", null, h("th", {scope: "row"}, size),
        h("td.bar-cell", null, h("span.size-bar", null, h(`i.${KINDS.r}`, {style: {width: `${100 * share / largest}%`}}))),
        h("td", null, `${percent(share)} %`), h("td.soft", null, whole(count))))))] : []);
  }

  function focus(element) {
    if (element.row) showSizes(element.row.node).catch(error => notice(error.message, true));
    tree.querySelectorAll("[role=treeitem]").forEach(each => { each.tabIndex = -1; });
    element.tabIndex = 0;
    element.focus();
  }

  tree.addEventListener("keydown", event => {
    const now = event.target.closest("[role=treeitem]");
    if (!now) return;
    const all = [...tree.querySelectorAll("[role=treeitem]")].filter(each => !each.parentElement.closest("[hidden]"));
    const at = all.indexOf(now), open = now.getAttribute("aria-expanded") === "true";
    if (event.key === "ArrowDown" && all[at + 1]) focus(all[at + 1]);
    else if (event.key === "ArrowUp" && at > 0) focus(all[at - 1]);
    else if (event.key === "ArrowRight") { if (open) { if (all[at + 1]) focus(all[at + 1]); } else toggle(now.row); }
    else if (event.key === "ArrowLeft") { if (open) toggle(now.row); else { const up = now.parentElement.closest("[role=treeitem]"); if (up) focus(up); } }
    else if (event.key === "Enter" || event.key === " ") toggle(now.row);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });

  async function showText() {
    const found = await get(`${path}/text`, {path: "", depth}, signal);
    text.textContent = found.text;
    text.hidden = false;
    return found.text;
  }

  put(view, h("div.wide", null, h("p.soft.headline", null, content.footer),
    h("div.tool-row.top-row", null, h("label", null, "Text to depth ", select("Depth", Array.from({length: 8}, (_, i) => [String(i + 1), String(i + 1)]), depth, value => { depth = value; })),
      h("button.quiet", {type: "button", onclick: showText}, "Show as text"),
      h("button.quiet", {type: "button", onclick: async () => copy(await showText(), "Text")}, "Copy text"),
      h("button.quiet", {type: "button", onclick: async () => download("tree.txt", await showText())}, "Save text")),
    h("div.scroll", null, tree), picture, text));
  const root = makeRow(content.root, null);
  tree.append(root);
  root.tabIndex = 0;
  await expand(root.row);
  for (const child of root.row.list.children) await expand(child.row);
}
