// @ts-check
/** Limit hold'em: what the limit packs do at any line, and which two-player decisions answer for three players. */

import {get, getKept, item} from "./api.js";
import {crumbs, remember} from "./app.js";
import {BucketPanel} from "./bucket_panel.js";
import {h, notice, put, segments, select} from "./dom.js";
import {NodeView, listenKeys} from "./node_view.js";
import {CELLS, CELL_OF, COMBOS, cardText, percent, whole} from "./text.js";

const BY = {trained: "the strategy trained for this table", graft: "trained for three, with two players left trained for two",
  limit3: "limit3: trained for three, after a fold hbb2", hbb1: "hbb1: actions deleted", hbb2: "hbb2: nearest actions",
  hbb3: "hbb3: nearest pot", hbb4: "hbb4: nearest pot odds", hbb5: "hbb5: pot odds, then pot"};
const ACTIONS = ["Fold", "Call", "Raise"];

export async function showLimit(view, {parts, params, signal}) {
  const [id] = parts, path = item(id);
  const {title, content} = await get(path, null, signal);
  crumbs([title, `#/limit/${encodeURIComponent(id)}`]);
  const players = params.get("players") || String(content.players);
  const table = content.tables.find(each => String(each.players) === players) || content.tables[0];
  const by = table.by.includes(params.get("by")) ? params.get("by") : table.by[0], mapped = by.startsWith("hbb");
  const state = {players, by, nearest: params.get("nearest") || "", weights: params.get("weights") || "", line: params.get("line") || "",
    player: params.get("player") || "", figure: params.get("figure") || "strategy", hand: params.get("hand") || "", cards: params.get("cards") || "",
    buckets: params.get("buckets") || ""};
  const asked = {players, by, nearest: mapped ? state.nearest : "", weights: mapped ? state.weights : ""};
  const address = changes => {
    const all = {...state, ...changes}, kept = new URLSearchParams();
    const usual = {players: String(content.players), by: table.by[0], figure: "strategy"};
    for (const [key, value] of Object.entries(all)) if (value && value !== usual[key]) kept.set(key, value);
    return kept;
  };
  /** Shows the page for another table, or another answer. */
  const change = changes => { location.hash = `#/limit/${encodeURIComponent(id)}?${address(changes)}`; };
  const save = push => {
    remember(`limit/${encodeURIComponent(id)}`, Object.fromEntries(address({})), !push);
    if (node.place && node.place.kind === "decision") showHand(node.place);
  };
  const carries = mapped || by === "limit3" || by === "graft";
  const figures = [["strategy", "Strategy"], ...(players === "2" ? [["equity", "Equity"]] : []), ["weight", "Weight"],
    ...(carries ? [["distance", "Distance"]] : []), ...(mapped || by === "limit3" ? [["unreached", "NaN"]] : []), ...(mapped ? [] : [["reached", "Reached"]])];
  const why = h("section.panel.why", {"aria-label": "Why"}), told = h("div", {"aria-live": "polite"});
  const buckets = new BucketPanel({
    title: "Card buckets", open: Boolean(state.buckets),
    about: "The strategy does the same with all hands of a bucket. Choose one to see its hands alone.",
    load: (line, ended) => getKept(`${path}/buckets`, {...asked, line}, ended),
    onopen: open => { state.buckets = open ? "1" : ""; save(false); },
    onpick: combos => { node.table.only = combos ? new Set(combos) : null; if (node.place) node.table.filtered(); },
  });
  const source = {
    players: table.seats,
    seats: table.seats.map((_, i) => String(i)),
    figures,
    made: content.made_hands,
    draws: content.draws,
    title: line => `${title}, ${players} players, ${by}: ${line || "first decision"}`,
    node: (line, ended) => getKept(`${path}/node`, {...asked, line}, ended),
    equity: players === "2" ? (line, ended) => getKept(`${path}/equity`, {...asked, line}, ended) : undefined,
    range: async (line, player, action) => (await get(`${path}/range`, {...asked, line, player, action})).range,
    below: [why, buckets.element],
    onplace: place => { showWhy(place); buckets.show(place); },
    tools: () => [],
  };
  const node = new NodeView(source, state, save);
  let request = new AbortController();

  /** The hole cards that are explained: those written, else a combo of the chosen cell that gets here. */
  function cardsOf(place) {
    if (state.cards) return state.cards;
    const own = place.players[place.player], cell = CELLS.findIndex(each => each.name === state.hand);
    const combos = own.combos.filter(combo => CELL_OF[combo] === cell);
    const combo = combos[combos.length - 1];
    return combo === undefined ? "" : cardText(COMBOS[combo][1]) + cardText(COMBOS[combo][0]);
  }

  function showWhy(place) {
    if (place.kind !== "decision") { put(why); return; }
    const {averages} = place, facts = [];
    if (averages.distance !== undefined) facts.push(`${percent(averages.distance)} % of the probability away from the strategy trained for three players`);
    if (averages.unreached !== undefined) facts.push(`${percent(averages.unreached)} % of the candidates unreached (NaN)`);
    if (averages.substituted !== undefined) facts.push(`${percent(averages.substituted)} % of the hands answered by a substitute`);
    if (averages.reached !== undefined && averages.reached < .9995) facts.push(`${percent(1 - averages.reached)} % of the hands hardly ever get here by this strategy`);
    const box = h("input", {type: "text", size: 6, value: state.cards, placeholder: "AhKd", "aria-label": "Hole cards",
      onchange: event => { state.cards = event.target.value.trim(); save(false); }});
    put(why, h("h2.panel-title", null, place.source === "mapping" ? `${by}: decisions of the two-player strategy` : `The ${place.source}`, h("span.soft", null, " answers here")),
      facts.length ? h("p.reason", null, `Over the range: ${facts.join(", ")}.`) : null,
      h("div.tool-row", null, h("label", null, "Hand ", box), h("span.soft", null, "or point at a cell of the grid and click")), told);
    showHand(place);
  }

  async function showHand(place) {
    const cards = cardsOf(place);
    request.abort();
    request = new AbortController();
    if (!cards) { put(told); return; }
    try {
      const found = await getKept(`${path}/hand`, {...asked, line: place.line, cards}, request.signal);
      if (place === node.place) put(told, explanation(found));
    } catch (error) {
      if (error.name !== "AbortError") put(told, h("p.bad", null, error.message));
    }
  }

  const triple = row => row.map(x => h("td", null, percent(x)));

  function explanation(found) {
    const maps = found.opponents.length > 0;
    const row = (name, values, mark) => h(`tr${mark || ""}`, null, h("td.left", null, name), maps ? [h("td"), h("td")] : null, triple(values));
    const rows = found.opponents.flatMap(one => [
      h("tr", null, h("td.left.wrap", {colspan: 6}, h("strong", null, `For ${table.seats[one.opponent]}: `),
        `${whole(one.candidates)} candidates, ${whole(one.unreached)} of them unreached (NaN)`, one.step ? `; answered by ${found.steps[one.step]}` : "")),
      ...one.used.slice(0, 15).map(each => candidate(each)), ...one.passed_over.slice(0, 5).map(each => candidate(each)),
      one.passed_over.length > 5 ? h("tr", null, h("td.left.soft", {colspan: 6}, `and ${whole(one.passed_over.length - 5)} more that are nearer and unreached`)) : null]);
    return [
      h("p.reason", null, h("strong", null, `With ${found.hand}: `), maps ? `bucket ${found.bucket} of the two-player strategy` : found.reasons[0].replace(/\.$/, "").replace(/^A/, "a"),
        found.distance === null ? "." : `; ${percent(found.distance)} % of the probability away from the strategy trained for three players.`),
      h("div.scroll", null, h("table.candidates", null,
        h("thead", null, h("tr", null, h("th.left", null, maps ? "Candidate" : ""), maps ? [h("th", {title: "distance"}, "Dist."), h("th", {title: "percent"}, "Weight")] : null, ACTIONS.map(name => h("th", null, name)))),
        h("tbody", null, rows, row("answer", found.answer, ".taken"), found.trained ? row("trained for three", found.trained) : null)))];
  }

  const candidate = each => h(`tr${each.reached ? "" : ".off"}`, null, h("td.left", null, each.history || "first decision", h("span.soft", {title: each.seat}, each.seat === "small blind" ? " SB" : " BB")), h("td", null, whole(each.distance)),
    h("td", null, each.reached ? percent(each.weight) : each.weight ? `${percent(each.weight)}, NaN` : "NaN"), triple(each.triple));

  const tables = content.tables.length < 2 ? null : segments("Table", content.tables.map(each => [String(each.players), `${each.players} players`]), players,
    value => change({players: value, by: "", line: "", player: "", hand: "", cards: "", figure: ""}));
  const answers = table.by.length < 2 ? null : h("label", null, "Answer of ", select("Who answers", table.by.map(name => [name, BY[name]]), by, value => change({by: value, figure: ""})));
  const nearest = !mapped || by === "hbb1" ? null : [h("label", null, "Candidates ", h("input", {type: "number", min: 1, max: content.most_nearest, step: 1, value: state.nearest || "1", "aria-label": "Candidates that are averaged",
    onchange: event => change({nearest: event.target.value === "1" ? "" : event.target.value})})),
  h("label", null, h("input", {type: "checkbox", checked: Boolean(state.weights), onchange: event => change({weights: event.target.checked ? "d" : ""})}), " nearer ones weigh more")];
  const lineBox = h("input", {type: "text", placeholder: "rcc/rr", "aria-label": "Betting", size: 12});
  const boardBox = h("input", {type: "text", placeholder: "Qs Jh 2h", "aria-label": "Board", size: 12});
  const form = h("form.inline", {onsubmit: async event => {
    event.preventDefault();
    try {
      node.go((await get(`${path}/parse`, {...asked, line: lineBox.value, board: boardBox.value}, signal)).line);
    } catch (error) {
      notice(error.message, true);
    }
  }}, h("label", null, "Go to ", lineBox), " ", h("label", null, "on ", boardBox), " ", h("button.quiet", null, "Go"));
  const packs = h("details.packs", null, h("summary", null, content.packs.map(each => each.name).join(", ")),
    h("table", null, h("thead", null, h("tr", null, ["Pack", "Made", "Measured quality"].map(text => h("th.left", null, text)))),
      h("tbody", null, content.packs.map(each => h("tr", null, h("td.left", null, each.name), h("td.left", null, each.date), h("td.left.wrap", null, JSON.stringify(each.quality).replace(/[{}"]/g, "").replace(/([:,])/g, "$1 ")))))));
  put(view, h("div.wide", null, h("div.tool-row.top-row", null, tables, answers, nearest, form, packs), node.element));
  listenKeys(node, signal);
  put(node.body, h("p.soft", null, "The packs are opened…"));
  await node.load();
}
