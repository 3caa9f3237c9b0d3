// @ts-check
/** One hand, step by step, with what our player would do at each decision. */

import {get, getKept, item} from "./api.js";
import {crumbs, remember} from "./app.js";
import {cardFace} from "./cards.js";
import {actionClasses} from "./colours.js";
import {h, put} from "./dom.js";
import {COMBOS, actionName, cardId, chips, percent, whole} from "./text.js";

export async function showHand(view, {parts, params, signal}) {
  const [id] = parts, path = item(id), log = params.get("log") || "0";
  const hand = await get(`${path}/hand`, {log, hand: params.get("hand") || "0"}, signal);
  const {items} = await get("items", null, signal);
  const player = hand.chosen_game ? items.find(each => each.kind === "player") : null;
  const deep = hand.chosen_game && hand.chosen_game.match(/\.50-100\.(\d+)$/);
  const game = deep ? {stack: `${Number(deep[1]) / 100}bb`} : {game: hand.chosen_game};
  crumbs([items.find(each => each.id === id).title, `#/match/${encodeURIComponent(id)}?log=${log}`], [`Hand ${hand.number}`, null]);
  let at = Math.min(Number(params.get("step") || 0), hand.steps.length);
  const table = h("section.panel.felt", {"aria-label": "The table"}), why = h("section.panel.why", {"aria-label": "What our player would do"});
  const list = h("ol.steps"), buttons = h("div.tool-row"), grades = h("div.grades");
  const costs = new Map();
  const save = () => remember(`hand/${encodeURIComponent(id)}`, {log, hand: String(hand.place), step: at ? String(at) : ""});

  function go(next) {
    at = Math.max(0, Math.min(hand.steps.length, next));
    save();
    paint();
  }

  function paint() {
    const done = hand.steps.slice(0, at), last = [...done].reverse().find(step => step.kind === "action");
    const board = done.filter(step => step.kind === "deal").flatMap(step => step.cards);
    const over = at === hand.steps.length;
    const shown = over && hand.showdown ? hand.board : board;
    const stacks = last ? last.stacks : hand.stacks, pot = last ? last.pot : hand.blinds.reduce((a, b) => a + b, hand.dead);
    const next = hand.steps[at];
    put(table,
      h("div.seats", null, hand.names.map((name, position) => h(`div.seat${next && next.position === position ? ".acts" : ""}${last && last.folded[position] ? ".folded" : ""}`, null,
        h("strong", null, name), h("span.soft", null, hand.positions[position]),
        h("span.cards", null, hand.hole_cards[position].length ? hand.hole_cards[position].map(cardFace) : h("span.soft", null, "hidden")),
        h("span", null, stacks[position] === null ? "" : `${whole(stacks[position])} behind`),
        h("span.soft", null, over ? `${hand.values[position] > 0 ? "+" : ""}${chips(hand.values[position])}${hand.made[position] ? `, ${hand.made[position]}` : ""}` : "")))),
      h("div.middle", null, h("span.cards.big", null, Array.from({length: Math.max(5, shown.length)}, (_, i) => (shown[i] ? cardFace(shown[i]) : h("span.card.back", {"aria-hidden": true}, " ")))),
        h("span", null, `Pot ${whole(pot)}`)),
      h("p.said", {"aria-live": "polite"}, at ? says(done[at - 1]) : `The blinds are posted${hand.dead ? `, and antes or dead posts of ${whole(hand.dead)} chips` : ""}.`));
    put(list, hand.steps.map((step, i) => h("li", null, h("button.link", {type: "button", "aria-current": i === at ? "step" : null, onclick: () => go(i)}, says(step)), costs.has(i) ? h(`span.cost${costs.get(i).bad ? ".lost" : ".soft"}`, null, ` ${costs.get(i).text}`) : null)),
      h("li", null, h("button.link", {type: "button", "aria-current": over ? "step" : null, onclick: () => go(hand.steps.length)}, "End")));
    const current = list.querySelector("[aria-current]");
    if (current) list.scrollTop = current.parentElement.offsetTop - list.clientHeight / 2;
    put(buttons, button("First", "First", 0, at === 0), button("‹ Back", "Back", at - 1, at === 0), button("Next ›", "Next", at + 1, over), button("Last", "Last", hand.steps.length, over),
      link("Earlier hand", hand.place - 1, hand.place === 0), link("Later hand", hand.place + 1, hand.place + 1 >= hand.hands));
    explain(next);
  }

  const button = (sign, name, to, off) => h("button", {type: "button", "aria-label": name, title: name, disabled: off, onclick: () => go(to)}, sign);
  const link = (text, place, off) => (off ? h("span.quiet.off", null, text) : h("a.quiet", {href: `#/hand/${encodeURIComponent(id)}?${new URLSearchParams({log, hand: String(place)})}`}, text));
  const says = step => (step.kind === "deal" ? h("span", null, `${step.street[0].toUpperCase()}${step.street.slice(1)}: `, h("span.cards", null, step.cards.map(cardFace)))
    : `${hand.names[step.position]} ${step.words}`);

  async function grade() {
    put(grades, h("p.soft", {role: "status"}, "The hand is solved…"));
    let found;
    try {
      found = await get(`${path}/grades`, {log, hand: String(hand.place)}, signal);
    } catch (error) {
      if (error.name !== "AbortError") put(grades, h("p.bad", null, error.message));
      return;
    }
    costs.clear();
    for (const player of found.players) {
      const own = hand.steps.map((step, i) => ({step, i})).filter(({step}) => step.kind === "action" && step.position === player.position);
      player.decisions.forEach((each, i) => {
        if (own[i] && each.graded) costs.set(own[i].i, {bad: ["inaccuracy", "mistake", "blunder"].includes(each.verdict), text: each.loss_bb < 0.005 ? each.verdict : `${each.verdict}, −${each.loss_bb.toFixed(2)} BB`});
      });
    }
    put(grades, found.players.map(player => h("section", null, h("h3", null, player.name), player.decisions.map(each =>
      h("p.reason", null, h("strong", null, `${each.street[0].toUpperCase()}${each.street.slice(1)}, ${each.action}`), `: ${each.text}`)))),
      h("p.soft", null, "Losses are against our player, solved now with the real bets and our player's ranges, more finely than at the table."));
    paint();
  }

  async function explain(next) {
    if (!player) { put(why, h("p.soft", null, "Our player plays heads-up no-limit hold'em without antes; it has no strategy for this game.")); return; }
    if (!next || next.kind !== "action") { put(why, h("p.soft", null, next ? "Cards are dealt." : "The hand is over.")); return; }
    const mine = (explain.asked = {});
    const cards = hand.hole_cards[next.position];
    put(why, h("h2.panel-title", null, `${hand.names[next.position]} decides`), h("p.soft", null, "Our player thinks…"));
    let place;
    try {
      place = await getKept(`${item(player.id)}/node`, {line: next.line, ...game}, signal);
    } catch (error) {
      if (mine === explain.asked && error.name !== "AbortError") put(why, h("p.bad", null, error.message));
      return;
    }
    if (mine !== explain.asked) return;
    const classes = actionClasses(place.actions), own = place.players[place.player];
    const [low, high] = cards.map(cardId).sort((a, b) => a - b), combo = cards.length === 2 ? COMBOS.findIndex(([a, b]) => a === low && b === high) : -1;
    const index = own.combos.indexOf(combo);
    const worth = index >= 0 && place.action_evs ? place.action_evs.map(row => row[index]) : null;
    const link = `#/pack/${encodeURIComponent(player.id)}?${new URLSearchParams({line: next.line, cards: cards.join(""), ...game})}`;
    put(why, h("h2.panel-title", null, `${hand.names[next.position]} decides`, h("span.soft", null, ` and ${next.words}`)),
      h("table.action-table", null, h("thead", null, h("tr", null, h("th", null, "Our player"), h("th", null, index >= 0 ? `with ${cards.join("")} %` : "this hand"), h("th", null, "whole range %"), worth ? h("th", null, "EV BB") : null)),
        h("tbody", null, place.actions.map((action, i) => h(`tr${action.token === next.action ? ".taken" : ""}`, null, h("td", null, h(`i.swatch.${classes[i]}`), actionName(action), action.token === next.action ? h("small", null, " taken") : null),
          h("td", null, index >= 0 ? percent(place.strategy[i][index]) : "–"), h("td", null, percent(action.freq)), worth ? h("td", null, worth[i] === null ? "" : (worth[i] / hand.big_blind).toFixed(2)) : null)))),
      place.actions.some(action => action.token === next.action) ? null : h("p.soft", null, `Its sizes do not include ${next.action}.`),
      index < 0 && cards.length === 2 ? h("p.soft", null, "Our player would not get here with this hand.") : null,
      place.street > 0 ? h("p.soft.packs-alone", null, "This is the answer of the packs alone. At the table our player solves turns and rivers live, and flops that no pack holds, so it may have done otherwise.") : null,
      place.reasons.map(text => h("p.reason", null, text)), h("a.quiet", {href: link}, "Open this decision"));
  }

  document.addEventListener("keydown", event => {
    if (event.target.closest("input, textarea, select, dialog")) return;
    const to = {ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: hand.steps.length}[event.key];
    if (to === undefined) return;
    event.preventDefault();
    go(to);
  }, {signal});
  put(view, h("div.wide", null, h("div.columns.replay", null, h("div.side", null, table, buttons, why), h("section.panel", null, h("h2.panel-title", null, `Hand ${hand.number}`), list,
    player ? h("p", null, h("button.quiet.grade", {type: "button", onclick: grade}, "What did it cost?")) : null, grades))));
  paint();
}
