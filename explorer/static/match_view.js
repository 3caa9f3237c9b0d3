// @ts-check
/** A hand history, match or tournament: its result, its curves and the list of its hands. */

import {get, item} from "./api.js";
import {crumbs, remember} from "./app.js";
import {cardRow} from "./cards.js";
import {lineChart} from "./chart.js";
import {h, problem, put, select} from "./dom.js";
import {chips, whole} from "./text.js";

export async function showMatch(view, {parts, params, signal}) {
  const [id] = parts, path = item(id);
  put(view, h("div.page", null, h("p.soft", null, "The logs are read…")));
  const {title, content} = await get(path, null, signal);
  crumbs([title, `#/match/${encodeURIComponent(id)}`]);
  const state = {log: params.get("log") || "0", player: params.get("player") || "", sort: params.get("sort") || "number", line: params.get("line") || "",
    street: params.get("street") || "", end: params.get("end") || "", page: params.get("page") || "0"};
  const save = () => remember(`match/${encodeURIComponent(id)}`, state);
  const chart = h("div.chart-slot"), head = h("div.tool-row.top-row"), box = h("div.scroll"), pager = h("div.tool-row"), sum = h("p.soft.note", {role: "status"}), left = h("div.left-out");
  put(view, h("div.wide", null, content.result ? result(content.result) : null,
    h("section", null, h("h2", null, "Chips won"), chart), h("section", null, h("h2", null, "Hands"), head, sum, left, box, pager)));

  function controls() {
    const change = values => { Object.assign(state, {page: "0"}, values); save(); load(); };
    put(head,
      content.logs.length > 1 ? h("label", null, "Log ", select("Log", content.logs.map((name, i) => [String(i), name]), state.log, value => { change({log: value}); curves(); })) : null,
      h("label", null, "Player ", select("Player", [["", `${content.player}, all hands`], ...content.players.map(name => [name, name])], state.player, value => change({player: value}))),
      h("label", null, "Order ", select("Order", [["number", "as played"], ["won", "biggest wins"], ["lost", "biggest losses"], ["pot", "biggest pots"]], state.sort, value => change({sort: value}))),
      h("label", null, "Reached ", select("Street", [["", "any street"], ...content.streets.slice(1).map(name => [name, name])], state.street, value => change({street: value}))),
      select("End", [["", "any end"], ["showdown", "showdown"], ["fold", "a fold"]], state.end, value => change({end: value})),
      h("label", null, "Line ", h("input", {type: "search", value: state.line, placeholder: "r*c/c", size: 12, "aria-label": "Betting begins with; * is any size",
        onchange: event => change({line: event.target.value.trim()})})));
  }

  async function load() {
    let found;
    try {
      found = await get(`${path}/hands`, state, signal);
    } catch (error) {
      if (error.name !== "AbortError") put(box, problem(error));
      return;
    }
    const bb = content.big_blind || 1, who = found.player;
    sum.textContent = `${whole(found.count)} of ${whole(found.of)} hands${found.cut ? " (the file has more)" : ""}; ${who} ${found.won < 0 ? "lost" : "won"} ${chips(Math.abs(found.won))} chips, `
      + `${found.played ? (1000 * found.won / bb / found.played).toFixed(0) : "–"} mbb per hand.`;
    put(left, found.left_out.map(text => h("p.soft.note", null, text)));
    put(box, h("table.hands", null, h("thead", null, h("tr", null, ["Hand", `${who} won`, "Board", "Betting", "Positions", "End"].map(text => h("th", null, text)))),
      h("tbody", null, found.rows.map(row => h("tr", {"data-place": row.place},
        h("td", null, h("a", {href: handLink(row.place)}, row.number)),
        h(`td.${row.value < 0 ? "lost" : "won"}`, null, row.value === null ? "–" : `${row.value > 0 ? "+" : ""}${chips(row.value)}`),
        h("td.left", null, row.board.length ? cardRow(row.board) : ""),
        h("td.left.line-text", {title: row.betting}, row.betting),
        h("td.left", null, row.names.join(" / ")),
        h("td.left", null, row.showdown ? "showdown" : "fold"))))),
    found.rows.length ? null : h("p.soft.empty", null, "No hand passes the filters."));
    const step = delta => h("button.quiet", {type: "button", disabled: found.page + delta < 0 || found.page + delta >= found.pages,
      onclick: () => { state.page = String(found.page + delta); save(); load(); }}, delta < 0 ? "Earlier" : "Later");
    put(pager, step(-1), h("span.soft", null, `page ${found.page + 1} of ${found.pages}`), step(1));
  }

  const handLink = place => `#/hand/${encodeURIComponent(id)}?${new URLSearchParams({log: state.log, hand: String(place)})}`;

  async function curves() {
    const found = await get(`${path}/curves`, {log: state.log}, signal);
    put(chart, lineChart(found.curves, {x: "hands", y: "chips", label: "Chips won over the hands"}));
  }

  controls();
  await Promise.all([load(), curves()]);
}

/** Returns the standings and matches of a tournament. */
function result(values) {
  const mbb = estimate => (estimate && estimate.mean !== null ? `${estimate.mean >= 0 ? "+" : ""}${estimate.mean.toFixed(0)}` : "–");
  const half = estimate => (estimate && estimate.high !== null && estimate.low !== null ? `± ${((estimate.high - estimate.low) / 2).toFixed(0)}` : estimate && estimate.mean !== null ? "± none" : "");
  return h("section", null, h("h1", null, values.name), h("p.soft", null, `${values.game}, ${whole(values.hands)} hands per seating, seed ${values.seed}`),
    h("div.scroll", null, h("table", null, h("thead", null, h("tr", null, ["Rank", "Agent", "mbb per hand", "95 %", "Chips", "Hands", "All-in adjusted", "SD per hand"].map(text => h("th", null, text)))),
      h("tbody", null, values.standings.map(each => h("tr", null, h("td", null, each.rank ?? "–"), h("td.left", null, each.agent), h("td", null, mbb(each.mbb_per_hand)), h("td", null, half(each.mbb_per_hand)),
        h("td", null, chips(each.bankroll_chips)), h("td", null, whole(each.hands)), h("td", null, mbb(each.all_in_adjusted)), h("td", null, each.sd_hand_mbb === null ? "–" : whole(each.sd_hand_mbb))))))),
    Object.entries(values.outside || {}).map(([agent, why]) => h("p.soft", null, `Outside the ranking: ${agent} ${why}; its matches count for no bankroll and no run-off, if there are others.`)),
    values.runoff_note ? h("p.soft", null, `No run-off: ${values.runoff_note}.`) : null,
    h("h2", null, "Matches"),
    h("div.scroll", null, h("table", null, h("thead", null, h("tr", null, ["Match", "Player", "mbb per hand", "95 %", "Hands", ""].map(text => h("th", null, text)))),
      h("tbody", null, values.matches.map(each => {
        const name = each.players[0];
        return h("tr", null, h("td", null, each.players.join(" – ")), h("td.left", null, name), h("td", null, mbb(each.mbb_per_hand[name])), h("td", null, half(each.mbb_per_hand[name])),
          h("td", null, whole(each.hands)), h("td.left", null, each.significant ? "significant" : ""));
      })))),
    values.failed.length ? h("p.soft", null, `${values.failed.length} matches without a result.`) : null,
    h("h2", null, "Bankroll over the tournament"),
    h("div.chart-slot", null, lineChart(values.standings.filter(each => each.curve_hands.length).map(each => ({name: each.agent, points: [[0, 0], ...each.curve_hands.map((hand, i) => [hand, each.curve_chips[i]])]})),
      {x: "hands", y: "chips", label: "Bankrolls"})));
}
