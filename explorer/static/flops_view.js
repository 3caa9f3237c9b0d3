// @ts-check
/** The flops of a pack as a table; a click opens the flop. */

import {get, getKept, item} from "./api.js";
import {crumbs, remember} from "./app.js";
import {cardRow} from "./cards.js";
import {actionClasses} from "./colours.js";
import {download, h, put, select} from "./dom.js";
import {NodeView, listenKeys} from "./node_view.js";
import {percent, whole} from "./text.js";

const TEXTURES = [["rainbow", "two-tone", "monotone"], ["unpaired", "paired", "trips"],
  ["ace-high", "king-high", "queen-high", "jack-high", "ten-high", "low"], ["connected", "disconnected"]];
const AT_ONCE = 200;
const FIRST = "first";

export async function showFlops(view, {parts, params, signal}) {
  const [id] = parts, path = item(id);
  put(view, h("div.page", null, h("p.soft", null, "Opening the pack and comparing the checksums of its files, which takes some seconds…")));
  const [{title, content, path: folder}, {items}] = await Promise.all([get(path, null, signal), get("items", null, signal)]);
  const player = items.find(each => each.kind === "player" && folder.startsWith(`${each.path}/`));
  if (params.get("flop")) { await showFlop(view, id, title, content, params, signal); return; }
  crumbs([title, `#/flops/${encodeURIComponent(id)}`]);
  const state = {line: params.get("line") || content.lines[0].betting, decision: params.get("decision") || "0",
    sort: params.get("sort") || "weight", up: params.get("up") || "", textures: params.get("textures") || "", text: params.get("text") || ""};
  let data = null, shown = AT_ONCE;
  const save = () => remember(`flops/${encodeURIComponent(id)}`, state);
  const box = h("div.scroll"), head = h("div.tool-row.top-row"), note = h("div.note", {role: "status"}), facts = h("div.soft");
  const line = () => content.lines.find(each => each.betting === state.line || each.name === state.line) || content.lines[0];
  put(view, h("div.wide", null, head, facts, note, box));

  async function load() {
    const asked = `${state.line} ${state.decision}`;
    data = null;
    shown = AT_ONCE;
    controls();
    put(note, h("p.soft", null, "Reading the flops of the line…"));
    put(box);
    for (let now = "1"; ; now = "") {  // at first what is known, so that the table is there at once
      const found = await get(`${path}/flops`, {line: state.line, decision: state.decision, now}, signal);
      if (asked !== `${state.line} ${state.decision}`) return;
      data = found;
      const all = found.rows.length;
      put(note, found.done >= all ? null : [h("p.soft", null, `Computing equities and frequencies: ${whole(found.done)} of ${whole(all)} flops so far. They are kept for the next time.`),
        h("div.progress", {role: "progressbar", "aria-valuenow": Math.round(100 * found.done / all), "aria-label": "Flops computed"}, h("i.a-call", {style: {width: `${100 * found.done / all}%`}}))]);
      paint();
      if (found.done >= found.rows.length) return;
    }
  }

  function controls() {
    const now = line();
    put(head,
      h("label", null, "Line ", select("Preflop line", content.lines.map(each => [each.betting, `${each.betting}, pot ${whole(each.pot)}`]), now.betting,
        value => { state.line = value; state.decision = "0"; save(); load(); })),
      h("label", null, "Decision ", select("Decision", now.decisions.map((each, i) =>
        [String(i), `${["OOP", "IP"][each.player]} ${each.name === FIRST ? "first" : `after ${each.name}`}`]), state.decision, value => { state.decision = value; save(); load(); })),
      TEXTURES.map((names, kind) => select("Texture", [["", ["Any suits", "Any pairs", "Any high card", "Any straights"][kind]], ...names.map(name => [name, name])],
        state.textures.split("+").find(name => names.includes(name)) || "", value => {
          const kept = state.textures.split("+").filter(name => name && !names.includes(name));
          state.textures = [...kept, value].filter(Boolean).join("+");
          shown = AT_ONCE;
          save();
          paint();
        })),
      h("input", {type: "search", placeholder: "A K 2 …", value: state.text, "aria-label": "Ranks of the flop", size: 8,
        oninput: event => { state.text = event.target.value; shown = AT_ONCE; save(); paint(); }}),
      h("button.quiet", {type: "button", onclick: saveCsv}, "CSV"));
    const quality = content.quality[now.betting] || content.quality[now.name] || {};
    put(facts, `${content.depth === null ? "" : `Stacks of ${content.depth} big blinds. `}Pot ${whole(now.pot)}, ${whole(now.stack)} behind.`,
      h("details", null, h("summary", null, "About this pack"), h("table", null, h("tbody", null,
        [["tier", content.tier], ["made", `${content.made.date} on ${content.made.machine}`], ...Object.entries(quality).filter(([, value]) => typeof value === "number")]
          .map(([key, value]) => h("tr", null, h("td", null, key.replaceAll("_", " ")), h("td.left.wrap", null, String(value))))))));
  }

  function chosen() {
    const wanted = state.textures.split("+").filter(Boolean), ranks = state.text.toUpperCase().replace(/[^2-9TJQKA]/g, "");
    return data.rows.filter(row => wanted.every(name => row.textures.includes(name))
      && [...ranks].every((rank, i) => row.flop.replace(/[cdhs ]/g, "").split(rank).length > ranks.slice(0, i + 1).split(rank).length - 1));
  }

  function columns() {
    const decision = line().decisions[Number(state.decision)] || line().decisions[0];
    const has = name => data.rows.some(row => row[name] !== null && row[name] !== undefined);
    return [
      {key: "flop", name: "Flop", value: row => row.flop},
      {key: "count", name: "Flops", value: row => row.count, text: row => whole(row.count)},
      {key: "weight", name: "Weight %", value: row => row.weight, text: row => percent(row.weight, 3)},
      {key: "equity", name: "Eq. OOP", value: row => row.equity, text: row => percent(row.equity, 2)},
      has("ev") && {key: "ev", name: "EV OOP % pot", value: row => row.ev, text: row => percent(row.ev, 2)},
      has("pct_pot") && {key: "pct_pot", name: "Exploit. % pot", value: row => row.pct_pot, text: row => row.pct_pot?.toFixed(2) ?? ""},
      ...decision.actions.map((name, i) => ({key: `f${i}`, name, action: i, value: row => (row.freq ? row.freq[i] : null), text: row => (row.freq ? percent(row.freq[i]) : "")})),
      {key: "bar", name: "", bar: true, value: row => (row.freq ? row.freq[row.freq.length - 1] : null)},
    ].filter(Boolean);
  }

  function paint() {
    if (!data) return;
    const all = columns(), decision = line().decisions[Number(state.decision)] || line().decisions[0];
    const classes = actionClasses(decision.actions.map(name => ({kind: name.split(" ")[0]})));
    const column = all.find(each => each.key === state.sort) || all[2], rows = chosen();
    const ranked = row => [...row.flop.replace(/[cdhs ]/g, "")].map(rank => "23456789TJQKA".indexOf(rank) + 10).join("") + row.flop;
    rows.sort((a, b) => {
      const [x, y] = column.key === "flop" ? [ranked(a), ranked(b)] : [column.value(a) ?? -1, column.value(b) ?? -1];
      return x < y ? 1 : x > y ? -1 : 0;
    });
    if (state.up) rows.reverse();
    const complete = rows.every(row => row.weight !== undefined && row.weight !== null); // an average of some flops would be another number
    const mean = key => {
      if (!complete) return null;
      const known = rows.filter(row => row.weight !== undefined && key(row) !== null && key(row) !== undefined);
      const total = known.reduce((sum, row) => sum + row.weight, 0);
      return total > 0 ? known.reduce((sum, row) => sum + row.weight * key(row), 0) / total : null;
    };
    const reachMean = i => {
      if (!complete) return null;
      const known = rows.filter(row => row.freq && row.freq[i] !== null);
      const total = known.reduce((sum, row) => sum + row.weight * row.reach, 0);
      return total > 0 ? known.reduce((sum, row) => sum + row.weight * row.reach * row.freq[i], 0) / total : null;
    };
    const summary = {flop: `${whole(rows.length)} flops`, count: rows.reduce((sum, row) => sum + row.count, 0),
      weight: complete ? rows.reduce((sum, row) => sum + row.weight, 0) : null, equity: mean(row => row.equity), ev: mean(row => row.ev) ?? null,
      pct_pot: mean(row => row.pct_pot) ?? null, freq: decision.actions.map((_, i) => reachMean(i))};
    const cell = (each, row, average = false) => {
      if (each.key === "flop") return h("td", null, average ? row.flop : h("a", {href: flopLink(row.flop)}, cardRow(row.flop.match(/[2-9TJQKA][cdhs]/g))),
        average ? null : h("small", null, row.textures.filter(name => !["unpaired", "disconnected"].includes(name)).join(", ")));
      if (each.bar) return h("td", null, row.freq ? h("span.mini-bar", null, row.freq.map((x, i) => h(`i.${classes[i]}`, {style: {width: `${100 * (x || 0)}%`}}))) : null);
      return h("td", null, each.text(row));
    };
    put(box, h("table.flops", null, h("thead", null, h("tr", null, all.map(each => h("th", {"aria-sort": each.key === column.key ? (state.up ? "ascending" : "descending") : null},
      h("button", {type: "button", onclick: () => {
        state.up = each.key === state.sort && !state.up ? "1" : "";
        state.sort = each.key;
        save();
        paint();
      }}, each.action === undefined ? null : h(`i.swatch.${classes[each.action]}`), each.name))))),
    h("tbody", null, h("tr.average", null, all.map(each => cell(each, summary, true))),
      data.all && rows.length < data.rows.length ? h("tr.average.soft", null, all.map(each => cell(each, {...data.all, flop: "all flops", count: data.rows.reduce((s, r) => s + r.count, 0), weight: 1}, true))) : null,
      rows.slice(0, shown).map(row => h("tr", {"data-flop": row.flop}, all.map(each => cell(each, row)))))),
    rows.length > shown ? h("button.quiet.more", {type: "button", onclick: () => { shown += 4 * AT_ONCE; paint(); }}, `${whole(rows.length - shown)} more`) : null);
  }

  function flopLink(flop) {
    const cards = flop.replaceAll(" ", "");
    if (content.tier !== "quick") return `#/flops/${encodeURIComponent(id)}?${new URLSearchParams({flop: `${state.line} ${flop}`})}`;
    const tokens = state.line.match(/r\d+|[fc]/g).join(" ");
    const decision = line().decisions[Number(state.decision)];
    const later = decision.name === FIRST ? [] : [...decision.name.matchAll(/r(\d+)|[fck]/g)].map(([word, size]) =>
      (size ? `r${Number(size) + line().pot / 2}` : word === "k" ? "c" : word));
    const stack = content.depth === null ? "" : `${Math.round(100 * content.depth) / 100}bb`;
    return `#/pack/${encodeURIComponent(player ? player.id : "our-player")}?${new URLSearchParams({line: [tokens, cards, ...later].join(" "), stack})}`;
  }

  function saveCsv() {
    const decision = line().decisions[Number(state.decision)];
    const head = ["flop", "flops", "suits", "pairs", "high card", "straights", "weight", "oop equity", "oop ev pots", "exploitability pct pot", ...decision.actions];
    const rows = chosen().map(row => [row.flop, row.count, ...row.textures, row.weight, row.equity, row.ev, row.pct_pot, ...(row.freq || [])]);
    download("flops.csv", [head, ...rows].map(row => row.map(x => (x === null || x === undefined ? "" : x)).join(",")).join("\n") + "\n", "text/csv");
  }

  await load();
}

async function showFlop(view, id, title, content, params, signal) {
  const path = item(id), flop = params.get("flop");
  const found = await get(`${path}/flop`, {flop}, signal);
  crumbs([title, `#/flops/${encodeURIComponent(id)}`], [found.name, null]);
  const state = {flop, line: params.get("line") || "", player: params.get("player") || "", figure: params.get("figure") || "strategy", hand: params.get("hand") || ""};
  const source = {
    players: ["OOP", "IP"], made: content.made_hands, draws: content.draws,
    title: line => `${found.name}: ${line || "first decision"}`,
    node: (line, ended) => getKept(`${path}/node`, {flop, line}, ended),
    equity: (line, ended) => getKept(`${path}/equity`, {flop, line}, ended),
    cards: (line, cards, what, ended) => getKept(`${path}/cards`, {flop, line, cards: cards.join(""), what: what.join(",")}, ended),
    range: async (line, player, action) => (await get(`${path}/range`, {flop, line, player: player ? "ip" : "oop", action})).range,
  };
  const node = new NodeView(source, state, push => remember(`flops/${encodeURIComponent(id)}`, {...state, figure: state.figure === "strategy" ? "" : state.figure}, !push));
  put(view, h("div.wide", null, h("p.soft.headline", null, `${found.name}: pot ${whole(found.pot)}, stack ${whole(found.stack)}; tier ${content.tier}, `
    + `${whole(found.iterations)} iterations, exploitability ${found.pct_pot.toFixed(3)} % of the pot`), node.element));
  listenKeys(node, signal);
  await node.load();
}
