// @ts-check
/** The cards that can come next, coloured by what happens after them. */

import {actionClasses, heat} from "./colours.js";
import {cardGrid} from "./cards.js";
import {h, memory, put, select} from "./dom.js";
import {STREETS, actionName, chips, percent} from "./text.js";

const AT_ONCE = 4;

export class CardView {
  constructor(source, options) {
    this.source = source;
    this.options = options;
    this.figure = memory.get("cards", "strategy");
    this.element = h("section.panel.card-panel");
  }

  /** Shows the cards of a place and loads their figures bit by bit. */
  show(place, signal) {
    this.place = place;
    this.signal = signal;
    this.rows = new Map();
    this.actions = [];
    this.like = new Map(place.cards.map(each => [each.card, each.like]));
    this.grid = null;
    this.picked = [];
    this.title = h("h2.panel-title", null, (place.deal || 1) > 1 ? `Which ${STREETS[place.street].toLowerCase()}? Choose ${place.deal} cards.` : `Which ${STREETS[place.street].toLowerCase()}?`);
    this.pick = h("div.pick");
    this.note = h("p.soft.note");
    this.box = h("div.deck-box");
    put(this.element, this.title, this.pick, this.box, this.note);
    if (!this.source.cards) {
      put(this.pick, h("button.quiet", {type: "button", onclick: () => {
        const open = place.cards.map(each => each.card), found = [];
        while (found.length < (place.deal || 1)) found.push(...open.splice(Math.floor(Math.random() * open.length), 1));
        this.options.go(`${place.line} ${found.join("")}`.trim());
      }}, "Deal at random"));
    }
    this.paint();
    if (this.source.cards) this.load();
  }

  async load() {
    const {signal} = this;
    const wanted = [...new Set(this.like.values())];
    const what = this.figure.startsWith("ev") ? ["ev"] : this.figure.startsWith("equity") ? ["equity"] : [];
    const lacking = wanted.filter(card => !this.rows.has(card) || what.some(name => !(name in this.rows.get(card))));
    const size = what.length ? AT_ONCE : 16;
    const run = (this.run = {});
    for (let start = 0; start < lacking.length; start += size) {
      let found;
      try {
        found = await this.source.cards(this.place.line, lacking.slice(start, start + size), what, signal);
      } catch (error) {
        if (error.name !== "AbortError") this.note.textContent = error.message;
        return;
      }
      if (signal.aborted || run !== this.run) return;
      this.actions = found.actions;
      for (const [card, row] of Object.entries(found.cards)) this.rows.set(card, {...this.rows.get(card), ...row});
      this.note.textContent = start + size < lacking.length ? `${start + size} of ${lacking.length} different cards…` : "";
      this.paint();
    }
    this.paint();
  }

  choices() {
    const {players} = this.source;
    return [["strategy", `What ${players[this.actor()]} does`],
      ...this.actions.map((action, i) => [`freq${i}`, `How often: ${actionName(action)}`]),
      ["ev0", `EV of ${players[0]}`], ["ev1", `EV of ${players[1]}`],
      ["equity0", `Equity of ${players[0]}`], ["equity1", `Equity of ${players[1]}`]];
  }

  actor() { return 0; }

  paint() {
    const {place} = this;
    if (!place) return;
    if (this.source.cards) {
      put(this.pick, select("Figure", this.choices(), this.figure, value => {
        this.figure = value;
        memory.set("cards", value);
        this.paint();
        this.load();
      }), h("span.legend", null, this.figure === "strategy" ? this.actions.map((action, i) =>
        h("span", null, h(`i.swatch.${actionClasses(this.actions)[i]}`), actionName(action))) : null));
    }
    const open = new Set(place.cards.map(each => each.card));
    const known = [...open].map(card => this.value(card)).filter(x => x !== null);
    const low = Math.min(...known), high = Math.max(...known);
    const focused = document.activeElement?.closest?.(".deck-card")?.getAttribute("data-card");
    const grid = cardGrid({label: "Next card", off: card => !open.has(card), onpick: card => this.choose(card), pressed: (place.deal || 1) > 1 ? card => this.picked.includes(card) : undefined,
      face: card => (open.has(card) ? this.face(card, low, high) : null)});
    put(this.box, grid);
    if (focused) grid.buttons.get(focused)?.focus();
    else if (!this.grid) grid.buttons.get([...grid.buttons.keys()].find(card => open.has(card)))?.focus({preventScroll: true});
    this.grid = grid;
  }

  choose(card) {
    const {place} = this, wanted = place.deal || 1;
    if (wanted > 1) {
      this.picked = this.picked.includes(card) ? this.picked.filter(each => each !== card) : [...this.picked, card];
      if (this.picked.length < wanted) { this.paint(); return; }
      this.options.go(`${place.line} ${this.picked.join("")}`.trim());
      return;
    }
    this.options.go(`${place.line} ${card}`.trim());
  }

  row(card) { return this.rows.get(this.like.get(card)); }

  value(card) {
    const row = this.row(card);
    if (!row || this.figure === "strategy") return null;
    const which = Number(this.figure.slice(-1));
    if (this.figure.startsWith("freq")) return row.freq ? row.freq[which] ?? null : null;
    const values = this.figure.startsWith("ev") ? row.ev : row.equity;
    return values ? values[which] : null;
  }

  face(card, low, high) {
    const row = this.row(card);
    if (!row || !row.freq) return h("span.deck-face");
    if (this.figure === "strategy") {
      const classes = actionClasses(this.actions);
      return h("span.deck-face", {title: this.actions.map((action, i) => `${actionName(action)} ${percent(row.freq[i])} %`).join(", ")},
        row.freq.map((x, i) => h(`i.${classes[i]}`, {style: {width: `${100 * x}%`}})));
    }
    const value = this.value(card);
    if (value === null) return h("span.deck-face", null, "…");
    const chipsShown = this.figure.startsWith("ev"), at = high > low ? (value - low) / (high - low) : 0.5;
    const {background, ink} = heat(at);
    return h("span.deck-face.number", {style: {background, color: ink}}, chipsShown ? chips(value) : percent(value, 0));
  }

  repaint() { if (this.element.isConnected) this.paint(); }
}
