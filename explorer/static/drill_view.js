// @ts-check
/** Drills: questions about decisions, what an answer lost, and the grid. */

import {get, post} from "./api.js";
import {crumbs, remember} from "./app.js";
import {cardFace} from "./cards.js";
import {actionClasses} from "./colours.js";
import {h, notice, problem, put, select} from "./dom.js";
import {HandGrid} from "./grid.js";
import {CELLS, STREETS, percent, whole} from "./text.js";

const KINDS = [["same", "the decisions themselves"], ["hands", "other hands there"], ["boards", "other boards"]];
const DRILLED = ["graded", "solve", "player"];

/** The two letters of each card of a text. */
export const cardsOf = text => text.match(/../g) || [];

/** Returns the betting so far, one line per street. */
export const storyOf = story => story.map(each => h("p.scene", null, h("strong", null, each.street[0].toUpperCase() + each.street.slice(1)), " ",
  each.cards ? h("span.cards", null, cardsOf(each.cards).map(cardFace)) : null, " ", each.text));

/** Returns the kinds of actions in words, for their colours. */
export const kindsOf = texts => texts.map(text => ({kind: text.includes("all-in") ? "all-in" : text.split(" ")[0]}));

/** Returns a grid of losses in big blinds, dark where an action loses most. */
export function lossGrid(cells, cards) {
  const grid = new HandGrid("Loss by hand"), most = Math.max(0.5, ...Object.values(cells).map(cell => cell[0]));
  grid.show(CELLS.map(({name}) => {
    const cell = cells[name];
    return cell ? {height: 1, value: 0.5 + 0.5 * Math.min(1, cell[0] / most), text: cell[0].toFixed(1), title: `loses ${cell[0].toFixed(2)} BB`} : {height: 0};
  }));
  grid.mark(classOf(cards));
  return grid.element;
}

/** Returns the hand class of two cards, such as AKs. */
export function classOf(text) {
  const [a, b] = cardsOf(text), order = "23456789TJQKA";
  const [high, low] = order.indexOf(a[0]) >= order.indexOf(b[0]) ? [a, b] : [b, a];
  return high[0] + low[0] + (a[0] === b[0] ? "" : a[1] === b[1] ? "s" : "o");
}

/** Returns the table of what every choice is worth. */
export function choiceTable(choices, {taken, best, unit}) {
  const classes = actionClasses(kindsOf(choices.map(each => each.text))), top = Math.max(...choices.map(each => each.ev));
  return h("div.scroll", null, h("table.action-table", null, h("thead", null, h("tr", null, ["Action", `EV ${unit}`, "Loses", "% pot", "Strategy"].map(text => h("th", null, text)))),
    h("tbody", null, choices.map((each, i) => h(`tr${i === taken ? ".taken" : ""}`, null,
      h("td.wrap", null, h(`i.swatch.${classes[i]}`), each.text, i === best ? h("small", null, " best") : null),
      h("td", null, (each.ev + 0).toFixed(2)), h("td", null, (each.loss ?? top - each.ev).toFixed(2)),
      h("td", null, each.loss_pct === undefined ? "" : each.loss_pct.toFixed(1)), h("td", null, `${percent(each.frequency, 0)} %`))))));
}

export async function showDrill(view, {params, signal}) {
  const {items} = await get("items", null, signal);
  const sources = items.filter(each => DRILLED.includes(each.kind));
  crumbs(["Drill", "#/drill"]);
  const state = {item: sources.some(each => each.id === params.get("item")) ? params.get("item") : sources[0].id, kind: params.get("kind") || "same", spot: params.get("spot") || "", street: params.get("street") || ""};
  const box = h("div.drill");
  put(view, h("div.page.drill-page", null, box));
  let now = null, done = null, busy = false;

  async function ask(what, content) {
    busy = true;
    try {
      return await post(`drill/${what}`, content, signal);
    } finally {
      busy = false;
    }
  }

  function form() {
    now = null;
    const chosen = items.find(each => each.id === state.item);
    const change = values => { Object.assign(state, values); remember("drill", state); form(); };
    const streets = STREETS.map((name, i) => [String(i), name]).filter(([i]) => chosen.kind !== "player" || i !== "1");
    put(box, h("h1", null, "Drill"),
      h("p", null, "Decisions whose EVs are known. An answer is right if it loses less than 0.5 % of the pot, however rarely it is taken."),
      h("div.tool-row.top-row", null,
        h("label", null, "Ask about ", select("Source", sources.map(each => [each.id, each.kind === "player" ? `Random hands: ${each.title}` : each.title]), state.item, item => change({item, street: "", kind: "same", spot: ""}))),
        chosen.kind === "graded" ? h("label", null, "Questions ", select("Questions", KINDS, state.kind, kind => change({kind}))) : null,
        chosen.kind === "graded" ? h("label", null, "Only ", h("input", {type: "search", size: 24, value: state.spot, placeholder: "river BB 3-bet", "aria-label": "Words of the kind of decision", onchange: event => { state.spot = event.target.value; remember("drill", state); }})) : null,
        h("label", null, "Street ", select("Street", [["", "all streets"], ...streets], state.street, street => change({street})))),
      h("p", null, h("button.primary", {type: "button", onclick: begin}, "Start")), h("div.said-below"));
  }

  async function begin() {
    put(box.querySelector(".said-below"), h("p.soft", {role: "status"}, "The first question is prepared…"));
    remember("drill", state);
    try {
      now = await ask("start", {item: state.item, kind: state.kind, spot: state.spot, streets: state.street ? [Number(state.street)] : []});
    } catch (error) {
      if (error.name !== "AbortError") { now = null; put(box.querySelector(".said-below"), problem(error)); }
      return;
    }
    now.score = "";
    question();
  }

  const head = () => h("p.soft.drill-head", null, now.title, now.due && !now.score ? `, ${now.due} due` : "", now.score ? ` · ${now.score}` : "", " · ", h("button.link", {type: "button", onclick: finish}, "end"));

  function situation(asked) {
    return h("section.panel.felt", {"aria-label": "The situation"},
      h("h2.panel-title", null, `${now.number}. ${asked.position}, ${asked.street}`, h("span.soft", null, ` ${asked.title}`)),
      storyOf(asked.story),
      h("div.middle", null, h("span.cards.big.own", null, cardsOf(asked.cards).map(cardFace)), asked.board ? h("span.cards.big", null, cardsOf(asked.board).map(cardFace)) : null),
      h("p.soft", null, `Pot ${whole(asked.pot)}${asked.big_blind ? ` (${(asked.pot / asked.big_blind).toFixed(1)} BB)` : ""}`, asked.to_call ? `, ${whole(asked.to_call)} to call` : "",
        `. You have ${whole(asked.stack)}, the opponent ${whole(asked.opponent_stack)}.`));
  }

  function question() {
    done = null;
    if (!now.question) { end(now.summary); return; }
    const asked = now.question;
    put(box, head(), situation(asked),
      h("div.choices", {role: "group", "aria-label": "Your answer"}, asked.choices.map((text, i) =>
        h("button.answer", {type: "button", onclick: () => answer(i)}, h("kbd", null, String(i + 1)), " ", text[0].toUpperCase() + text.slice(1)))));
    box.querySelector(".answer").focus({preventScroll: true});
  }

  async function answer(choice) {
    if (busy || done || !now || !now.question || choice >= now.question.choices.length) return;
    const asked = now.question;
    let found;
    try {
      found = await ask("answer", {session: now.session, number: now.number, choice});
    } catch (error) {
      if (error.name !== "AbortError") notice(error.message, true);
      return;
    }
    done = found;
    now.lastSummary = found.summary;
    now.score = `${found.right_so_far} of ${found.asked} right`;
    const number = now.number, slot = h("div.grid-slot");
    const lost = found.choices[choice].loss;
    put(box, head(), situation(asked),
      h("section.panel", {"aria-label": "The judgement"},
        h(`p.verdict.${found.right ? "won" : "lost"}`, {role: "status"}, h("strong", null, found.right ? "Right" : "Wrong"), `: loses ${lost.toFixed(2)} ${found.unit} (${found.loss_pct.toFixed(1)} % of the pot)`,
          found.last_pct === null ? "" : `; the time before ${found.last_pct.toFixed(1)} %`, now.kept ? `. Box ${found.box}, again in ${found.days} ${found.days === 1 ? "day" : "days"}.` : "."),
        found.played ? h("p.soft", null, `At the table: ${found.played}`, found.played_loss === null ? "." : `, which lost ${found.played_loss.toFixed(2)} ${found.unit}.`) : null,
        choiceTable(found.choices, {taken: choice, best: found.best, unit: found.unit}),
        h("p.soft", null, `EVs: ${found.values}.`),
        h("div.tool-row", null, h("button.primary.next", {type: "button", onclick: next}, "Next"), found.has_grid ? h("button.show-grid", {type: "button", onclick: () => showGrid(slot, number, asked)}, "Grid") : null), slot));
    box.querySelector(".next").focus({preventScroll: true});
    box.querySelector(".verdict").scrollIntoView({block: "nearest"});
  }

  async function showGrid(slot, number, asked) {
    if (busy) return;
    put(slot, h("p.soft", null, "The grid is computed…"));
    let found;
    try {
      found = await ask("grid", {session: now.session, number});
    } catch (error) {
      if (error.name !== "AbortError") put(slot, h("p.bad", null, error.message));
      return;
    }
    if (!found.is_strategy) { put(slot, h("p.soft", null, found.title), lossGrid(found.cells, asked.cards)); return; }
    const classes = actionClasses(kindsOf(found.names)), grid = new HandGrid("Strategy by hand");
    grid.show(CELLS.map(({name}) => {
      const cell = found.cells[name];
      return cell ? {height: 1, parts: cell.map((share, i) => [classes[i], share]), title: found.names.map((text, i) => `${text} ${percent(cell[i], 0)} %`).join(", ")} : {height: 0};
    }));
    grid.mark(classOf(asked.cards));
    put(slot, h("p.legend", null, found.names.map((text, i) => h("span", null, h(`i.swatch.${classes[i]}`), text))), grid.element);
  }

  async function next() {
    if (busy || !done) return;
    const button = box.querySelector(".next");
    button.disabled = true;
    button.textContent = "The next question is prepared…";
    try {
      Object.assign(now, {question: null}, await ask("next", {session: now.session}));
    } catch (error) {
      if (error.name !== "AbortError") { button.disabled = false; button.textContent = "Next"; notice(error.message, true); }
      return;
    }
    question();
  }

  const finish = () => end(done ? done.summary : now.score ? now.lastSummary || [now.score] : ["No question was answered."]);

  function end(summary) {
    now = done = null;
    put(box, h("h1", null, "The end of the drill"), (summary || []).map(text => h("p", null, text)), h("p", null, h("button.primary", {type: "button", onclick: form}, "Another drill")));
  }

  document.addEventListener("keydown", event => {
    if (event.target.closest("input, textarea, select, dialog") || event.ctrlKey || event.metaKey || event.altKey) return;
    if (/^[1-9]$/.test(event.key) && now && !done) { event.preventDefault(); answer(Number(event.key) - 1); }
    if (event.key === "n" && done) { event.preventDefault(); next(); }
    if (event.key === "g" && done && box.querySelector(".show-grid")) { event.preventDefault(); box.querySelector(".show-grid").click(); }
  }, {signal});
  form();
  if (params.get("start")) begin();
}
