// @ts-check
/** Graded hands: totals, leaks, the costliest decisions, and one decision with its grid. */

import {get, item} from "./api.js";
import {crumbs} from "./app.js";
import {cardRow} from "./cards.js";
import {cardsOf, choiceTable, lossGrid, storyOf} from "./drill_view.js";
import {h, put} from "./dom.js";
import {percent, whole} from "./text.js";

const link = (id, decision) => `#/graded/${encodeURIComponent(id)}${decision === null ? "" : `?decision=${decision}`}`;
const VERDICTS = ["best", "fine", "inaccuracy", "mistake", "blunder", "unsure"];
const one = (x, digits = 2) => (x === null || x === undefined ? "–" : Number(x).toFixed(digits));

export async function showGraded(view, {parts, params, signal}) {
  const [id] = parts, path = item(id);
  const {title, content} = await get(path, null, signal);
  const asked = params.get("decision");
  if (asked !== null) { await showDecision(view, id, content, title, Number(asked), signal); return; }
  crumbs([title, link(id, null)]);
  const loss = content.totals.loss;
  const terms = content.terms_bb_per_hand;
  const rows = h("tbody");
  let words = [];
  const row = ({each, i}) => h("tr", null,
    h("td", null, h("a", {href: link(id, i)}, `Hand ${each.hand}`)), h("td", null, one(each.loss_bb), h("small", null, `± ${one(each.error_bb)}`)), h("td", null, one(each.loss_pct_pot, 1)),
    h("td.left", null, each.verdict), h("td.left", null, each.street), h("td.left", null, cardRow(cardsOf(each.cards))), h("td.left", null, cardRow(cardsOf(each.board))),
    h("td.left", null, each.taken), h("td.left", null, each.best), h("td", null, one(each.pot_bb, 1)), h("td.left", null, `${each.position}, ${each.pot_type}, ${each.facing}`));
  const fill = () => {
    const found = content.worst.map((each, i) => ({each, i})).filter(({each}) => words.every(word => kind(each).includes(word)));
    put(rows, found.map(row));
  };
  put(view, h("div.wide", null, h("h1", null, content.player),
    h("p", null, `${whole(content.hands)} hands graded against our player, depth ${content.depth}. `, content.spot ? `Spot “${content.spot}” alone. ` : "", content.since ? `Since ${content.since}. ` : "", loss ? h("strong", null, `Loss ${one(loss.mbb_per_hand, 1)} mbb per hand`) : "No totals",
      loss && loss.low !== null && loss.high !== null ? ` (${one(loss.low, 1)} to ${one(loss.high, 1)})` : "", "."),
    terms ? h("p.soft", null, `In big blinds per hand: result ${one(terms.result)} = value ${one(terms.value)} + not graded ${one(terms.ungraded)} + luck of cards ${one(terms.luck_cards)} + luck of the opponent ${one(terms.luck_opponent)} + seam ${one(terms.seam)} - losses ${one(terms.losses)}.`) : null,
    content.borrowed ? h("p.soft", null, `${whole(content.borrowed)} more hands have borrowed ranges and are not in the totals.`) : null,
    content.can_drill ? h("p", null, h("a.button", {href: `#/drill?${new URLSearchParams({item: id})}`}, "Drill the faults")) : null,
    h("h2", null, "By street"), table(content.streets, [["street", "Street"], ["mbb_per_hand", "mbb per hand", 1], ["ci95", "± 95 %", 1], ["versus", "Versus ours", 1], ["our_player", "Our player", 1], ["decisions", "Decisions"], ...VERDICTS.map(name => [name, `${name} %`, 0])]),
    h("h2", null, "Costliest decisions"),
    h("div.tool-row.top-row", null, h("label", null, "Only ", h("input", {type: "search", size: 24, placeholder: "river BB 3-bet", "aria-label": "Words of the kind of decision",
      oninput: event => { words = event.target.value.toLowerCase().split(/\s+/).filter(Boolean); fill(); }}))),
    h("div.scroll", null, h("table.worst", null, h("thead", null, h("tr", null, ["", "Loss BB", "% pot", "Verdict", "Street", "Cards", "Board", "Action", "Best", "Pot BB", "Kind"].map((text, i) => h(i > 2 && i !== 9 ? "th.left" : "th", null, text)))), rows)),
    content.leaks.length ? [h("h2", null, "Leaks"), table(content.leaks, [["kind", "Kind"], ["mbb_per_hand", "mbb per hand", 1], ["ci95_low", "from", 1], ["ci95_high", "to", 1], ["decisions", "Decisions"], ["bb_per_decision", "BB each", 2], ["found", "Found"]],
      content.can_drill ? each => h("a", {href: `#/drill?${new URLSearchParams({item: id, spot: each.kind})}`}, "Drill") : null)] : null,
    content.not_graded.length ? [h("h2", null, "Not graded"), h("ul", null, content.not_graded.map(each => h("li", null, `${whole(each.decisions)} ${each.reason}`, each.naive_mbb_per_hand ? ` (they would be ${one(each.naive_mbb_per_hand, 1)} mbb per hand)` : "")))] : null,
    content.left_out.map(text => h("p.soft", null, text))));
  fill();
}

const kind = each => `${each.street} ${each.position} ${each.pot_type} ${each.facing} ${each.action} ${each.verdict}`.toLowerCase();

/** Returns a cell of a record: a number with so many digits after the point, or a word. */
function cellText(value, digits) {
  if (typeof value === "boolean") return value ? "yes" : "no";
  return typeof value === "number" ? (digits === undefined ? whole(value) : value.toFixed(digits)) : value ?? "–";
}

/** Returns records as a table with the columns that they have, and a last cell that `more` returns. */
function table(records, columns, more = null) {
  const kept = columns.filter(([name]) => records.some(each => each[name] !== undefined));
  return h("div.scroll", null, h("table", null, h("thead", null, h("tr", null, kept.map(([, text]) => h("th", null, text)), more ? h("th", null) : null)),
    h("tbody", null, records.map(each => h("tr", null, kept.map(([name, , digits]) => h(name === "kind" ? "td.kind" : "td", null, cellText(each[name], digits))), more ? h("td", null, more(each)) : null)))));
}

async function showDecision(view, id, content, title, number, signal) {
  const found = await get(`${item(id)}/decision`, {number}, signal);
  crumbs([title, link(id, null)], [`Hand ${found.hand}`, null]);
  const evs = found.choices.map(each => each.ev), best = evs.indexOf(Math.max(...evs));
  const taken = evs.map(ev => Math.abs(ev - found.ev_taken_bb)).reduce((low, gap, i, all) => (gap < all[low] ? i : low), 0);
  const step = (to, text) => (to < 0 || to >= content.worst.length ? h("span.quiet.off", null, text) : h("a.quiet", {href: link(id, to)}, text));
  put(view, h("div.wide", null, h("div.columns", null,
    h("section.panel", null, h("h2.panel-title", null, `Hand ${found.hand} of ${found.source}, against ${found.opponent}: ${found.position}, ${found.street}`),
      found.story.length ? storyOf(found.story) : h("p", null, found.betting),
      h("div.middle", null, h("span.big", null, cardRow(cardsOf(found.cards))), h("span.big", null, cardRow(cardsOf(found.board)))),
      h("p.soft", null, `Pot ${one(found.pot_bb, 1)} BB, ${one(found.to_call_bb, 1)} to call, ${one(found.stack_bb, 1)} behind.`),
      h("p.verdict", null, h("strong", null, found.taken), ` loses ${one(found.loss_bb)} ± ${one(found.error_bb)} BB (${one(found.loss_pct_pot, 1)} % of the pot): `, h("strong", null, found.verdict), "."),
      choiceTable(found.choices.map(each => ({...each, loss: evs[best] - each.ev, loss_pct: 100 * (evs[best] - each.ev) / found.pot_bb})), {taken, best, unit: "BB"}),
      h("p.soft", null, `Values: ${found.source_of_values}${found.target_pct === null ? "" : `, solved to ${Number(found.target_pct).toPrecision(2)} % of the pot`}. ${percent(found.share, 2)} % of our range gets here.`),
      found.caution ? h("p.soft", null, `${found.caution[0].toUpperCase()}${found.caution.slice(1)}.`) : null,
      h("div.tool-row", null, step(number - 1, "Costlier"), step(number + 1, "Less costly"))),
    Object.keys(found.grid).length ? h("section.panel.losses", null, h("h2.panel-title", null, `What ${found.taken} loses with every hand, in BB`), lossGrid(found.grid, found.cards)) : null)));
}
