// @ts-check
/** What our player does at any line, and why: preflop charts, flops of the packs, later streets, live solves. */

import {get, getKept, item} from "./api.js";
import {crumbs, remember} from "./app.js";
import {BucketPanel} from "./bucket_panel.js";
import {h, notice, put, select} from "./dom.js";
import {NodeView, listenKeys} from "./node_view.js";
import {COMBOS, actionName, cardId, cardText, percent, whole} from "./text.js";

const LAYER_NAMES = {blueprint: "Blueprint", quick: "Quick flop pack", exact: "Exact flop pack", live: "Live solve", fallback: "No strategy"};

const OTHER_CHIPS = "chips";
const OTHER_GAME = /(\d+)-(\d+)\.(\d+)(?:-(\d+))?$/;

export async function showPack(view, {parts, params, signal}) {
  const [id] = parts, path = item(id);
  const [{title, content}, {items}] = await Promise.all([get(path, null, signal), get("items", null, signal)]);
  crumbs([title, `#/pack/${encodeURIComponent(id)}`]);
  const state = {stack: params.get("stack") || content.stack, game: params.get("game") || "", line: params.get("line") || "", player: params.get("player") || "", figure: params.get("figure") || "strategy",
    hand: params.get("hand") || "", think: params.get("think") || "", cards: params.get("cards") || "", buckets: params.get("buckets") || ""};
  const save = push => remember(`pack/${encodeURIComponent(id)}`, {...state, stack: state.stack === content.stack ? "" : state.stack,
    figure: state.figure === "strategy" ? "" : state.figure}, !push);
  const why = h("section.panel.why", {"aria-label": "Why"});
  const buckets = new BucketPanel({
    title: "Card buckets", open: Boolean(state.buckets),
    about: "The blueprint does the same with all hands of a bucket; flop packs and live solves tell them apart, and a row is their mean. Choose one to see its hands alone.",
    load: (line, ended) => getKept(`${path}/buckets`, {line, stack: state.stack, game: state.game, think: state.think && line.match(/[cdhs]/) ? state.think : ""}, ended),
    onopen: open => { state.buckets = open ? "1" : ""; save(false); },
    onpick: combos => { node.table.only = combos ? new Set(combos) : null; if (node.place) node.table.filtered(); },
  });
  const source = {
    players: ["BB", "BTN"],
    made: content.made_hands,
    draws: content.draws,
    title: line => `${title}, ${state.game || state.stack}: ${line || "first decision"}`,
    node: (line, ended) => asked(line, ended),
    equity: (line, ended) => getKept(`${path}/equity`, {line, stack: state.stack, game: state.game, think: state.think}, ended),
    range: async (line, player, action) => (await get(`${path}/range`, {line, stack: state.stack, game: state.game, think: state.think, player: player ? "ip" : "oop", action})).range,
    below: [why, buckets.element],
    onplace: place => { showWhy(place); showPacks(place); buckets.show(place); },
    tools: () => [],
  };

  async function asked(line, ended) {
    const slow = state.think && line.match(/[cdhs]/);
    const bar = slow ? thinking(Number(state.think)) : null;
    try {
      return await getKept(`${path}/node`, {line, stack: state.stack, game: state.game, think: slow ? state.think : ""}, ended);
    } finally {
      if (bar) bar.remove();
    }
  }

  const node = new NodeView(source, state, save);

  function thinking(ms) {
    const fill = h("i.a-call"), bar = h("div.progress", {role: "progressbar", "aria-label": "The player thinks"}, fill);
    const began = performance.now();
    why.append(bar);
    const step = () => {
      if (!bar.isConnected) return;
      fill.style.width = `${Math.min(98, 100 * (performance.now() - began) / (ms * 1.6))}%`;
      requestAnimationFrame(step);
    };
    step();
    return bar;
  }

  function showWhy(place) {
    if (place.kind !== "decision") { put(why); return; }
    const choices = content.think_ms.map(ms => [ms ? String(ms) : "", ms ? `live, ${ms / 1000} s` : "packs alone"]);
    const hand = h("input", {type: "text", size: 6, value: state.cards, placeholder: "AhKd", "aria-label": "Hole cards",
      onchange: event => { state.cards = event.target.value.trim(); save(false); showWhy(place); }});
    const other = h("input", {type: "number", min: 1, step: 1, "aria-label": "Raise to, over the whole hand", placeholder: "raise to"});
    put(why,
      h("h2.panel-title", null, LAYER_NAMES[place.layer] || place.layer, h("span.soft", null, ` decides here`)),
      place.reasons.map(text => h("p.reason", null, text)),
      h("div.tool-row", null,
        h("label", null, "Time ", select("Thinking time", choices, state.think, value => { state.think = value; save(false); node.load(); })),
        h("label", null, "Hand ", hand),
        h("form.inline", {onsubmit: event => {
          event.preventDefault();
          if (other.value) node.go(`${place.line} r${Math.round(Number(other.value))}`.trim());
        }}, h("label", null, "Another size ", other), " ", h("button.quiet", null, "Raise")),
        solveLink(place)),
      holding(place));
  }

  function holding(place) {
    if (!state.cards) return null;
    const match = state.cards.match(/^([2-9tjqka])([cdhs])\s*([2-9tjqka])([cdhs])$/i);
    if (!match) return h("p.soft", null, `${state.cards} is no hand: write for example AhKd.`);
    const cards = [match[1].toUpperCase() + match[2].toLowerCase(), match[3].toUpperCase() + match[4].toLowerCase()];
    const [low, high] = cards.map(cardId).sort((a, b) => a - b);
    const combo = COMBOS.findIndex(([a, b]) => a === low && b === high), own = place.players[place.player];
    const at = own.combos.indexOf(combo);
    if (at < 0) return h("p.soft", null, `${cardText(high)}${cardText(low)} is not in the range here.`);
    return h("p.reason", {"data-hand": state.cards}, h("strong", null, `With ${cardText(high)}${cardText(low)}: `),
      place.actions.map((action, i) => `${actionName(action)} ${percent(place.strategy[i][at])} %`).join(", "), ".");
  }

  /** Returns a link to the form with this spot, at the beginning of a street; else null. */
  function solveLink(place) {
    const tokens = place.line.split(" "), isCards = token => /^([2-9TJQKA][cdhs])+$/.test(token);
    if (!isCards(tokens[tokens.length - 1])) return null;
    const [, small, big, ...stacks] = state.game.match(OTHER_GAME) || [], game = big ? {stack: stacks.filter(Boolean).join(","), blinds: `${small}/${big}`} : {stack: state.stack};
    const line = tokens.map(token => (isCards(token) ? "/" : token)).join("").replace(/\/$/, "");
    return h("a.button.quiet", {href: `#/new?${new URLSearchParams({player: id, ...game, line, board: place.board.join(" ")})}`}, "Solve this spot");
  }

  const stackBox = h("input", {type: "text", size: 7, placeholder: "37.5bb", "aria-label": "Another stack, in chips or big blinds"});
  const stackPick = h("span.stack-pick");

  /** Chooses the stacks that everything on the page is for. */
  function setStack(value) {
    if (value === OTHER_CHIPS) return;
    state.stack = value;
    state.game = "";
    save(true);
    showStacks();
    node.load();
  }

  function showStacks() {
    const known = content.stacks.map(({stack}) => [stack, stack.replace("bb", " BB")]);
    if (!known.some(([stack]) => stack === state.stack)) known.push([state.stack, state.stack.replace(/bb$/, " BB")]);
    const other = state.game && state.game.match(OTHER_GAME);
    if (other) known.push([OTHER_CHIPS, `${other.slice(3).filter(Boolean).map(Number).map(whole).join(" / ")} chips`]);
    put(stackPick, h("label", null, "Stacks ", select("Stacks", known, other ? OTHER_CHIPS : state.stack, setStack)), " ",
      h("form.inline", {onsubmit: event => {
        event.preventDefault();
        const value = stackBox.value.replace(/\s+/g, "").toLowerCase();
        stackBox.value = "";
        if (value) setStack(value);
      }}, stackBox, " ", h("button.quiet", null, "Set")), h("span.soft", null, ` blinds ${other ? `${other[1]}/${other[2]}` : "50/100"}`));
  }

  const lineBox = h("input", {type: "text", placeholder: "R250 C X B300", "aria-label": "Betting", size: 16});
  const boardBox = h("input", {type: "text", placeholder: "Qs Jh 2h", "aria-label": "Board", size: 14});
  const form = h("form.inline", {onsubmit: async event => {
    event.preventDefault();
    try {
      node.go((await get(`${path}/parse`, {line: lineBox.value, board: boardBox.value, stack: state.stack, game: state.game}, signal)).line);
    } catch (error) {
      notice(error.message, true);
    }
  }}, h("label", null, "Go to ", lineBox), " ", h("label", null, "on ", boardBox), " ", h("button.quiet", null, "Go"));
  const packs = h("details.packs"), flopTables = h("span.flop-tables");
  let packsShown = null;

  /** Shows the packs whose strategy plays the chosen stacks: those of the nearest depth. */
  function showPacks(place) {
    const depth = place.strategy_bb ?? packsShown;
    if (depth === packsShown || depth === null) return;
    packsShown = depth;
    const used = content.packs.filter(each => each.depth !== null && Math.abs(each.depth / depth - 1) < 1e-3);
    put(packs, h("summary", null, `For ${depth} BB: `, used.map(each => `${each.name} (${each.tier})`).join(", ")),
      h("table", null, h("thead", null, h("tr", null, ["Pack", "BB", "Kind", "Tier", "Made", "Settings and measured quality"].map(text => h("th.left", null, text)))),
        h("tbody", null, used.map(each => h("tr", null, h("td", null, each.name), h("td.left", null, String(each.depth)), h("td.left", null, each.kind), h("td.left", null, each.tier),
          h("td.left", null, each.date), h("td.left.wrap", null, describe(each)))))));
    const tables = used.filter(each => each.kind === "flops").map(each => [each, items.find(one => one.kind === "flops" && one.path === each.folder)]).filter(([, one]) => one);
    put(flopTables, tables.length ? "Flop tables: " : null,
      tables.map(([each, one]) => h("a", {href: `#/flops/${encodeURIComponent(one.id)}`}, each.name)));
  }

  showStacks();
  put(view, h("div.wide", null, h("div.tool-row.top-row", null, stackPick, form, flopTables, packs), node.element));
  listenKeys(node, signal);
  put(node.body, h("p.soft", null, "The player opens its packs…"));
  await node.load();
}

/** Returns the most important settings and figures of a pack in words. */
function describe(pack) {
  const training = pack.config.training;
  if (training) return `${whole(training.iterations)} iterations, buckets ${pack.config.buckets.join(" / ")}`;
  return Object.entries(pack.quality).map(([line, figures]) =>
    `${line}: ${Object.entries(figures).filter(([, value]) => typeof value === "number").slice(0, 4).map(([key, value]) => `${key.replaceAll("_", " ")} ${value}`).join(", ")}`).join("; ");
}
