// @ts-check
/** One place of a strategy: line, board, grid, actions and combos. All views of strategies use it. */

import {actionClasses} from "./colours.js";
import {CardView} from "./card_view.js";
import {cardRow} from "./cards.js";
import {ComboTable} from "./combos.js";
import {copy, h, memory, mended, notice, perFrame, problem, put, segments, select} from "./dom.js";
import {HandGrid} from "./grid.js";
import {Hands} from "./hands.js";
import {showLine} from "./line_bar.js";
import {CELLS, STREETS, actionAmount, actionName, chips, percent, shownWeight, whole} from "./text.js";

const FIGURES = [["strategy", "Strategy"], ["ev", "EV"], ["equity", "Equity"], ["evpot", "EV % pot"], ["weight", "Weight"]];
const SEATS = ["oop", "ip"];
const HEIGHTS = [["held", "Height: held"], ["relative", "Height: relative"], ["full", "Height: full"]];

/**
 * Where the strategies come from. Seats are the players in addresses. Figures are those of the grid; those that are not
 * known here are shares that the place has for every combo of the player to act.
 * @typedef {{players: string[], made: string[], draws: string[],
 *   node: (line: string, signal: AbortSignal) => Promise<any>,
 *   equity?: (line: string, signal: AbortSignal) => Promise<any>,
 *   cards?: (line: string, cards: string[], what: string[], signal: AbortSignal) => Promise<any>,
 *   range: (line: string, player: number, action: number|null) => Promise<string>,
 *   join?: (line: string, token: string, step?: any) => string, dealt?: (line: string, cards: string[]) => string,
 *   seats?: string[], figures?: string[][],
 *   title: (line: string) => string, tools?: (view: NodeView) => any[], below?: any, ended?: any}} Source
 */

export class NodeView {
  /** @param {Source} source @param {{line: string, player: string, figure: string, hand: string}} state */
  constructor(source, state, onstate) {
    this.source = source;
    this.state = state;
    this.onstate = onstate;
    this.hovered = null;
    this.seats = source.seats || SEATS;
    this.figures = source.figures || FIGURES;
    this.request = new AbortController();
    this.line = h("div.line", {role: "group", "aria-label": "The line"});
    this.facts = h("div.facts");
    this.body = h("div.body");
    this.element = h("div.node-view", null, this.line, this.facts, this.body);
    this.makeParts();
  }

  makeParts() {
    const {source, state} = this;
    const hover = perFrame(name => { this.hovered = name; this.showDetail(); });
    this.grid = new HandGrid("Hands", {onhover: hover, onpick: name => this.pin(name)});
    this.heading = h("h2.panel-title");
    this.playerPick = segments("Whose hands", source.players.map((name, i) => [String(i), name]), "0", value => this.change({player: this.seats[Number(value)]}));
    this.figurePick = segments("Figure", this.figures, state.figure, value => this.change({figure: value}));
    this.height = memory.get("height", "held");
    const heightPick = select("Height of the colours", HEIGHTS, this.height, value => {
      this.height = value;
      memory.set("height", value);
      this.paint();
    });
    this.legend = h("div.legend", {"aria-hidden": "true"});
    this.table = new ComboTable({made: source.made, draws: source.draws, figures: this.figures.filter(extra), equity: this.figures.some(([name]) => name === "equity"), onfilter: () => this.paint()});
    this.actions = h("section.panel.actions", {"aria-label": "Actions"});
    this.detail = h("div.detail", {"aria-live": "polite"});
    const tools = h("div.tool-row", null,
      h("button.quiet", {type: "button", onclick: () => this.copyRange(null)}, "Copy range"),
      h("button.quiet", {type: "button", onclick: () => this.grid.save(`${this.fileName()}.png`, this.source.title(this.state.line))}, "PNG"),
      heightPick, ...(source.tools ? source.tools(this) : []));
    this.gridPanel = h("section.panel.grid-panel", {"aria-label": "Hand grid"},
      h("div.grid-head", null, this.playerPick, this.figurePick), this.grid.element, this.legend, this.detail, tools);
    this.decision = h("div.columns", null, this.gridPanel, h("div.side", null, this.actions, source.below || null, this.table.element));
    this.cardView = new CardView(source, {go: line => this.go(line)});
  }

  fileName() { return (this.source.title(this.state.line) || "range").replace(/[^A-Za-z0-9]+/g, "-").slice(0, 60); }

  /** Goes to a line. */
  go(line, push = true) {
    this.state.line = line;
    this.state.player = "";
    this.onstate(push);
    return this.load();
  }

  change(values) {
    Object.assign(this.state, values);
    this.onstate(false);
    this.paint();
    this.showDetail();
  }

  pin(name) {
    this.change({hand: this.state.hand === name ? "" : name});
  }

  /** Loads the place of the line and shows it; what is shown stays until the new one is there. */
  async load() {
    this.request.abort();
    this.request = new AbortController();
    const {signal} = this.request, line = this.state.line;
    this.element.setAttribute("aria-busy", "true");
    let place;
    try {
      place = await this.source.node(line, signal, this.assumed === line);
    } catch (error) {
      if (error.name === "AbortError") return;
      this.element.removeAttribute("aria-busy");
      this.place = null;
      put(this.body, problem(error), h("p", null, h("button", {type: "button", onclick: () => this.load()}, "Try again"), " ",
        line ? h("button", {type: "button", onclick: () => this.go("")}, "To the first decision") : null));
      return;
    }
    this.element.removeAttribute("aria-busy");
    mended();
    this.place = place;
    this.equity = null;
    showLine(this.line, place.path, {go: next => this.go(next), players: this.source.players, join: this.source.join, end: this.ending()});
    this.showFacts();
    if (place.kind === "decision") {
      if (this.body.firstElementChild !== this.decision || this.body.childElementCount !== 1) put(this.body, this.decision);
      this.setHands();
      this.showActions();
      if (place.equity !== undefined) this.setEquity(place);
      else if (this.source.equity && place.board.length >= 3) this.loadEquity(line, signal);
    } else if (place.kind === "card") {
      put(this.body, this.cardView.element);
      this.cardView.show(place, signal);
    } else {
      put(this.body, h("section.panel.end-panel", null, h("h2.panel-title", null, this.ending()),
        h("p", null, `The pot is ${whole(place.pot)} chips.`), this.source.ended ? this.source.ended(place) : null));
    }
    if (this.source.onplace) this.source.onplace(place);
  }

  ending() {
    const {kind, player} = this.place;
    if (kind === "fold") return `${this.source.players[player]} folds`;
    return kind === "showdown" ? "Showdown" : "";
  }

  async loadEquity(line, signal) {
    try {
      this.setEquity(await this.source.equity(line, signal, this.assumed === line));
    } catch (error) {
      if (error.name !== "AbortError") notice(error.message, true);
    }
  }

  setEquity(found) {
    this.equity = found.equity;
    this.averageEquity = found.avg_equity;
    this.setHands();
    this.showFacts();
  }

  get player() {
    const at = this.seats.indexOf(this.state.player);
    return at < 0 ? this.place.player : at;
  }

  setHands() {
    this.both = this.place.players.map((_, player) => new Hands(this.place, player, this.equity));
    this.paint();
    this.showDetail(true);
  }

  showFacts() {
    const {place} = this, evs = place.avg_ev, equities = this.equity ? this.averageEquity : null;
    const fact = (label, value, title) => h("div.fact", {title}, h("span.soft", null, label), h("span", null, value));
    const pair = values => values && values[0] !== null ? `${values[0]} / ${values[1]}` : "–";
    put(this.facts,
      place.board.length ? cardRow(place.board) : h("span.soft", null, "no board"),
      fact("Street", STREETS[place.street]),
      fact("Pot", whole(place.pot)),
      !place.stacks ? null : fact("Stacks", place.stacks[0] === place.stacks[1] ? whole(place.stacks[0]) : pair(place.stacks.map(whole)), this.source.players.join(" / ")),
      !place.stacks ? null : fact("SPR", place.spr === null ? "–" : place.spr.toFixed(2), "smaller stack by pot"),
      place.reached === undefined ? null : fact("Reached", place.reached === null ? "–" : `${(100 * place.reached).toPrecision(3)} %`, "how often the betting gets here on this board"),
      evs === undefined ? null : fact("EV", evs && evs[0] !== null ? pair(evs.map(chips)) : "–", `chips, ${this.source.players.join(" / ")}`),
      !this.figures.some(([name]) => name === "equity") ? null : fact("Equity", equities && equities[0] !== null ? pair(equities.map(x => percent(x))) : "–", `percent, ${this.source.players.join(" / ")}`));
  }

  /** Paints the grid for the chosen player and figure. */
  paint() {
    if (!this.place || this.place.kind !== "decision") return;
    const {place} = this, hands = this.both[this.player];
    let figure = this.state.figure;
    if (figure === "strategy" && !hands.acting) figure = "weight";
    if ((figure === "ev" || figure === "evpot") && !hands.ev) figure = hands.acting ? "strategy" : "weight";
    const added = this.figures.find(([name]) => name === figure && extra([name]));
    if (added && !(hands.figures && hands.figures[figure])) figure = hands.acting ? "strategy" : "weight";
    this.shown = figure;
    this.playerPick.pick(String(this.player));
    this.figurePick.pick(this.state.figure);
    this.table.show(hands, place.pot);
    const chosen = this.table.filtering ? i => this.table.passes(i) : null;
    this.cells = hands.cells(chosen);
    const classes = actionClasses(hands.acting ? place.actions : []);
    const most = Math.max(...this.cells.map((cell, k) => (cell ? cell.weight / CELLS[k].size : 0)), 1e-9);
    this.grid.show(this.cells.map((cell, k) => {
      if (!cell) return {height: 0};
      const held = cell.weight / CELLS[k].size;
      const height = this.height === "full" ? 1 : this.height === "relative" ? held / most : held;
      return this.face(figure, cell, held, Math.max(height, 0.04), classes);
    }));
    this.grid.mark(this.state.hand);
    this.showLegend(figure, classes);
  }

  face(figure, cell, held, height, classes) {
    const {place} = this;
    if (figure === "strategy" && !cell.strategy) return {height, parts: [["a-none", 1]], text: "–", title: "meets no hand of the opponent"};
    if (figure === "strategy") {
      const title = cell.strategy.map((x, i) => `${actionName(place.actions[i])} ${percent(x)} %`).join(", ");
      return {height, parts: cell.strategy.map((x, i) => [classes[i], x]), title, text: ""};
    }
    if (figure === "weight") {
      return {height: Math.max(held, 0.04), parts: [["a-weight", 1]], text: held < 0.005 ? "<1" : percent(held, 0), title: `held ${shownWeight(100 * held)} %`};
    }
    if (figure === "equity") {
      if (cell.equity === null) return {height, parts: [["a-none", 1]], text: this.equity ? "–" : "…"};
      return {height: 1, value: cell.equity, text: percent(cell.equity, 0), title: `equity ${percent(cell.equity)} %`};
    }
    if (extra([figure])) {
      const value = cell.figures[figure];
      if (value === null) return {height, parts: [["a-none", 1]], text: "–"};
      return {height: 1, value, text: percent(value, 0), title: `${this.figures.find(([name]) => name === figure)[1].toLowerCase()} ${percent(value)} %`};
    }
    if (cell.ev === null) return {height, parts: [["a-none", 1]], text: "–"};
    const share = cell.ev / (place.pot || 1);
    const text = figure === "evpot" ? percent(share, 0) : chips(Math.abs(cell.ev) >= 100 ? Math.round(cell.ev) : Math.round(10 * cell.ev) / 10);
    return {height: 1, value: share, text, title: `EV ${chips(cell.ev)}`};
  }

  showLegend(figure, classes) {
    const {place} = this;
    if (figure === "strategy") {
      put(this.legend, place.actions.map((action, i) => h("span", null, h(`i.swatch.${classes[i]}`), actionName(action))));
    } else if (figure === "weight") {
      put(this.legend, h("span", null, h("i.swatch.a-weight"), "share of the hand in the range, in percent"));
    } else {
      const [low, middle, high] = figure === "equity" || extra([figure]) ? ["0", "50", "100 %"] : figure === "evpot" ? ["0", "50", "100 % of the pot"] : ["0", "half the pot", `${whole(place.pot)} chips`];
      put(this.legend, h("span.scale", null, low, h("i.ramp"), middle, h("i.ramp.upper"), high));
    }
  }

  /** Shows the numbers of the hand under the pointer, or of the pinned one. */
  showDetail(force = false) {
    if (!this.place || this.place.kind !== "decision") return;
    const name = this.hovered || this.state.hand || null;
    const index = name ? CELLS.findIndex(cell => cell.name === name) : -1, cell = index >= 0 ? this.cells[index] : null;
    const {place} = this;
    if (!name) put(this.detail, h("span.soft", null, "Point at a hand for its numbers; click to keep them."));
    else if (!cell) put(this.detail, h("strong", null, name), h("span.soft", null, "does not get here"));
    else {
      put(this.detail, h("strong", null, name), h("span", null, `${shownWeight(cell.weight)} of ${CELLS[index].size}`),
        (cell.strategy || []).map((x, i) => h("span", null, `${actionName(place.actions[i])} ${percent(x)} %`)),
        this.figures.filter(extra).map(([key, label]) => (!cell.figures || cell.figures[key] === undefined || cell.figures[key] === null ? null : h("span", null, `${label} ${percent(cell.figures[key])} %`))),
        cell.ev === null ? null : h("span", null, `EV ${chips(cell.ev)}`),
        cell.equity === null ? null : h("span", null, `equity ${percent(cell.equity)} %`));
    }
    if (force) this.table.hand = undefined;
    this.table.choose(name, !this.hovered && Boolean(this.state.hand));
  }

  showActions() {
    const {place} = this, classes = actionClasses(place.actions), who = this.source.players[place.player];
    const counts = place.players[place.player].counts, valued = place.actions.some(action => action.ev);
    put(this.actions, h("h2.panel-title", null, `${who} to act`, counts ? h("span.soft", null,
      ` ${counts.weight === null ? "" : shownWeight(counts.weight)} combos by weight; the board removes ${counts.removed}, ${counts.elsewhere} never get here`) : null),
    place.as_if ? h("p.soft.assumed", null, `${place.as_if.text[0].toUpperCase()}${place.as_if.text.slice(1)}. `,
      h("button.quiet", {type: "button", onclick: () => { this.assumed = null; this.load(); }}, "as solved")) : null,
    place.note ? h("p.soft.missing", null, `${place.note[0].toUpperCase()}${place.note.slice(1)}. `,
      place.rare && !place.as_if && this.source.assumes ? h("button.quiet", {type: "button", title: "Solve the answer as if 1 % of the hands took the line, those that lose least by it",
        onclick: () => { this.assumed = this.state.line; this.load(); }}, "answer as if 1 % took it") : null) : null,
    h("div.share-bar", {role: "img", "aria-label": place.actions.map(action => `${actionName(action)} ${percent(action.freq)} %`).join(", ")},
      place.actions.map((action, i) => h(`i.${classes[i]}`, {style: {width: `${100 * action.freq}%`}}))),
    h("div.scroll", null, h("table.action-table", null, h("thead", null, h("tr", null,
      h("th", null, "Action"), h("th", null, "%"), valued ? this.source.players.map(name => h("th", null, `EV ${name}`)) : null, h("th", null, ""))),
    h("tbody", null, place.actions.map((action, i) => h("tr", {"data-token": action.token},
      h("td", null, h("button.link", {type: "button", onclick: () => this.go((this.source.join || defaultJoin)(place.line, action.token, place))},
        h(`i.swatch.${classes[i]}`), actionName(action), " ", h("small", null, actionAmount(action)))),
      h("td", null, percent(action.freq, 2)),
      valued ? [0, 1].map(player => h("td", null, action.ev && action.ev[player] !== null ? chips(action.ev[player]) : "")) : null,
      h("td", null, h("button.quiet", {type: "button", title: "Copy the hands that do this", onclick: () => this.copyRange(i)}, "copy"))))))));
  }

  async copyRange(action) {
    const player = action === null ? this.player : this.place.player;
    try {
      const text = await this.source.range(this.state.line, player, action);
      if (!text) notice("No hand to copy: none gets here.", true);
      else await copy(text, action === null ? `Range of ${this.source.players[player]}` : `Range that takes ${actionName(this.place.actions[action])}`);
    } catch (error) {
      notice(error.message, true);
    }
  }

  /** Steps by keys; returns true if the key meant something. */
  key(event) {
    if (!this.place || event.ctrlKey || event.metaKey || event.altKey) return false;
    const {place} = this, path = place.path, join = this.source.join || defaultJoin;
    const last = path[path.length - 1];
    const previous = [...path].reverse().find(step => step.line !== this.state.line && step.line.length <= this.state.line.length);
    if (event.key === "ArrowLeft" || event.key === "Backspace") {
      if (previous) { this.ahead = this.ahead && this.ahead.startsWith(this.state.line) ? this.ahead : this.state.line; this.go(previous.line); }
      return true;
    }
    if (event.key === "ArrowRight") {
      const first = place.kind === "decision" ? place.actions.reduce((best, action) => (action.freq > best.freq ? action : best)) : null;
      if (this.ahead && this.ahead.startsWith(this.state.line) && this.ahead.length > this.state.line.length && place.path.length) {
        const rest = this.ahead.slice(this.state.line.length).trim().split(" ")[0];
        this.go(join(this.state.line, rest, last));
      } else if (first) this.go(join(place.line, first.token, last));
      return true;
    }
    if (event.key === "ArrowUp" || event.key === "ArrowDown") return this.sideways(event.key === "ArrowDown" ? 1 : -1);
    if (/^[1-9]$/.test(event.key) && place.kind === "decision") {
      const action = place.actions[Number(event.key) - 1];
      if (action) this.go(join(place.line, action.token, last));
      return true;
    }
    if (event.key === "p") { if (place.kind === "decision") this.change({player: this.seats[(this.player + 1) % this.seats.length]}); return true; }
    if (event.key === "m") {
      const at = this.figures.findIndex(([name]) => name === this.state.figure);
      this.change({figure: this.figures[(at + 1) % this.figures.length][0]});
      return true;
    }
    if (event.key === "g") { this.grid.focus(); return true; }
    if (event.key === "Escape") { this.change({hand: ""}); return true; }
    return false;
  }

  sideways(step) {
    const path = this.place.path, join = this.source.join || defaultJoin;
    const done = path.filter(each => each.kind === "card" ? each.card : each.chosen !== null);
    const last = done[done.length - 1];
    if (!last) return true;
    if (last.kind === "decision") {
      const count = last.actions.length, next = (last.chosen + step + count) % count;
      this.go(join(last.line, last.actions[next].token, last));
    } else if (last.card.length === 2 && !this.source.dealt) {
      const order = [..."AKQJT98765432"].flatMap(rank => [..."shdc"].map(suit => rank + suit));
      const taken = new Set(this.place.board.filter(card => card !== last.card));
      let at = order.indexOf(last.card);
      do at = (at + step + 52) % 52; while (taken.has(order[at]));
      this.go(join(last.line, order[at], last));
    }
    return true;
  }

  repaint() {
    this.grid.repaint();
    this.cardView.repaint();
  }
}

/** Tells whether a figure is a share that places have for every combo. */
const extra = ([name]) => !FIGURES.some(([known]) => known === name);

const defaultJoin = (line, token) => `${line} ${token}`.trim();

/** Lets a view have the keys of the page until it is left. */
export function listenKeys(view, signal) {
  document.addEventListener("keydown", event => {
    const target = /** @type {Element} */ (event.target);
    if (target.closest("input, textarea, select, dialog") || event.defaultPrevented) return;
    if (event.key === "Enter" || event.key === " ") return;
    if (view.key(event)) event.preventDefault();
  }, {signal});
  document.addEventListener("repaint", () => view.repaint(), {signal});
}
