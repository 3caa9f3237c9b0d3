// @ts-check
/** The sortable table of combos with its filters. */

import {actionClasses} from "./colours.js";
import {cardFace} from "./cards.js";
import {download, h, put} from "./dom.js";
import {CELLS, CELL_OF, COMBOS, actionAmount, actionName, cardText, chips, comboText, percent, shownWeight} from "./text.js";

const AT_ONCE = 150;

export class ComboTable {
  /** @param {{made: string[], draws: string[], onfilter: () => void, figures?: string[][], equity?: boolean}} options */
  constructor(options) {
    this.options = options;
    this.sort = {key: "hand", down: true};
    this.shown = AT_ONCE;
    this.hand = null;
    this.pinned = false;
    /** @type {Set<number>|null} combos that a bucket holds */
    this.only = null;
    this.filters = {made: "", draw: "", suit: "", text: ""};
    this.head = h("h2.panel-title");
    this.body = h("div.scroll.combos", {tabindex: 0, role: "region", "aria-label": "Combos"});
    const field = (key, label, choices) => h("select", {"aria-label": label,
      onchange: event => { this.filters[key] = event.target.value; this.filtered(); }},
      h("option", {value: ""}, label), choices.map(([value, text]) => h("option", {value}, text)));
    this.bar = h("div.filters", null,
      options.made.length ? field("made", "Any made hand", options.made.flatMap((name, i) =>
        [[String(i), name], ...(i ? [[`${i}+`, `${name} or better`]] : [])])) : null,
      options.draws.length ? field("draw", "Any draw", [["none", "no draw"], ...options.draws.map((name, i) => [String(i), name])]) : null,
      field("suit", "Any suits", [["s", "suited"], ["o", "offsuit"], ["p", "pairs"],
        ...["s", "h", "d", "c"].map(suit => [`has-${suit}`, `with a ${{s: "spade", h: "heart", d: "diamond", c: "club"}[suit]}`])]),
      h("input", {type: "search", placeholder: "AK, QJs, 7h …", "aria-label": "Hands by name", size: 10,
        oninput: event => { this.filters.text = event.target.value; this.filtered(); }}),
      h("button.quiet", {type: "button", onclick: () => this.save()}, "CSV"));
    this.element = h("section.panel.combo-panel", {"aria-label": "Combos"}, this.head, this.bar, this.body);
  }

  filtered() {
    this.shown = AT_ONCE;
    this.paint();
    this.options.onfilter();
  }

  /** Tells whether a hand passes the filters. */
  passes(i) {
    const {made, draw, suit, text} = this.filters, hands = this.hands, combo = hands.combos[i], [low, high] = COMBOS[combo];
    if (this.only && !this.only.has(combo)) return false;
    if (made && hands.made) {
      const wanted = parseInt(made, 10);
      if (made.endsWith("+") ? hands.made[i] < wanted : hands.made[i] !== wanted) return false;
    }
    if (draw && hands.draws) {
      if (draw === "none" ? hands.draws[i] !== 0 : !((hands.draws[i] >> Number(draw)) & 1)) return false;
    }
    if (suit === "p" && low >> 2 !== high >> 2) return false;
    if (suit === "s" && (low & 3) !== (high & 3)) return false;
    if (suit === "o" && ((low & 3) === (high & 3) || low >> 2 === high >> 2)) return false;
    if (suit.startsWith("has-")) {
      const wanted = "cdhs".indexOf(suit[4]);
      if ((low & 3) !== wanted && (high & 3) !== wanted) return false;
    }
    if (text.trim()) {
      const name = CELLS[CELL_OF[combo]].name, cards = comboText(combo);
      const terms = text.split(/[\s,]+/).filter(Boolean);
      const fits = term => {
        const upper = term.toUpperCase();
        if (term.length === 2 && /[cdhs]/.test(term[1])) return cards.includes(term[0].toUpperCase() + term[1]);
        if (term.length === 4 && /[cdhs]/i.test(term[1])) return cards.toLowerCase() === term.toLowerCase();
        return name.toUpperCase() === upper || name.toUpperCase().startsWith(upper);
      };
      if (!terms.some(fits)) return false;
    }
    return true;
  }

  get filtering() { return this.only !== null || Object.values(this.filters).some(text => text.trim()); }

  /** Shows the hands of a player; what is pinned stays. */
  show(hands, pot) {
    this.hands = hands;
    this.pot = pot;
    this.shown = AT_ONCE;
    this.paint();
  }

  /** Shows one cell of the grid, or all hands. */
  choose(hand, pinned) {
    if (hand === this.hand && pinned === this.pinned) return;
    this.hand = hand;
    this.pinned = pinned;
    this.shown = AT_ONCE;
    this.paint();
  }

  places() {
    const hands = this.hands, all = this.hand === null ? hands.combos.map((_, i) => i) : hands.byCell[CELLS.findIndex(cell => cell.name === this.hand)];
    return this.filtering ? all.filter(i => this.passes(i)) : all;
  }

  columns() {
    const hands = this.hands, actions = hands.acting ? hands.place.actions : [];
    return [
      {key: "hand", name: "Hand", value: i => hands.combos[i]},
      ...actions.map((action, k) => ({key: `a${k}`, name: actionName(action), note: actionAmount(action), action: k, value: i => hands.strategy[k][i]})),
      hands.ev && {key: "ev", name: "EV", value: i => hands.ev[i]},
      this.options.equity === false ? null : {key: "equity", name: "Eq. %", value: i => (hands.equity ? hands.equity[i] : null)},
      ...(this.options.figures || []).map(([key, name]) => hands.figures && hands.figures[key] && {key, name: `${name} %`, share: true, value: i => hands.figures[key][i]}),
      {key: "weight", name: "Weight", value: i => hands.weight[i]},
      hands.removes && {key: "removes", name: "Removes", value: i => hands.removes[i]},
    ].filter(Boolean);
  }

  paint() {
    if (!this.hands) return;
    const {hands} = this, columns = this.columns(), places = this.places();
    const column = columns.find(each => each.key === this.sort.key) || columns[0];
    const sorted = [...places].sort((a, b) => ((column.value(a) ?? -1e9) - (column.value(b) ?? -1e9)) || hands.combos[a] - hands.combos[b]);
    if (this.sort.down) sorted.reverse();
    const weight = places.reduce((sum, i) => sum + hands.weight[i], 0);
    put(this.head, this.hand === null ? "All hands" : this.hand, h("span.soft", null,
      ` ${places.length.toLocaleString("en")} combos, weight ${shownWeight(weight)}${this.pinned ? ", pinned" : ""}`));
    const classes = actionClasses(hands.acting ? hands.place.actions : []);
    const heading = each => h("th", {"aria-sort": each.key === column.key ? (this.sort.down ? "descending" : "ascending") : null},
      h("button", {type: "button", onclick: () => {
        this.sort = {key: each.key, down: each.key === this.sort.key ? !this.sort.down : true};
        this.paint();
      }}, each.action === undefined ? null : h(`i.swatch.${classes[each.action]}`), each.name, each.note ? h("small", null, each.note) : null));
    const rows = sorted.slice(0, this.shown).map(i => this.row(columns, i));
    const all = hands.average(places);
    const more = sorted.length - this.shown;
    put(this.body,
      h("table", null, h("thead", null, h("tr", null, columns.map(heading))),
        h("tbody", null, all ? this.averages(columns, all) : null, rows)),
      places.length ? null : h("p.soft.empty", null, this.hand ? `${this.hand} does not get here, or the filters hide it.` : "No hand passes the filters."),
      more > 0 ? h("button.quiet.more", {type: "button", onclick: () => { this.shown += 4 * AT_ONCE; this.paint(); }}, `${more} more`) : null);
  }

  row(columns, i) {
    const {hands} = this, combo = hands.combos[i], [low, high] = COMBOS[combo];
    return h("tr", {"data-combo": comboText(combo)}, columns.map(each => {
      if (each.key === "hand") {
        return h("td.left", null, h("span.cards", null, cardFace(cardText(high)), cardFace(cardText(low))), h("small", null, this.names(i)));
      }
      const value = each.value(i);
      if (each.action !== undefined) {
        return h("td", null, percent(value), hands.actionEvs ? h("small", null, chips(hands.actionEvs[each.action][i])) : null);
      }
      return h("td", null, each.share ? percent(value) : this.format(each.key, value));
    }));
  }

  averages(columns, all) {
    return h("tr.average", null, columns.map(each => {
      if (each.key === "hand") return h("td.left", null, "average");
      if (each.action !== undefined) {
        return h("td", null, percent(all.strategy && all.strategy[each.action]), all.actionEvs ? h("small", null, chips(all.actionEvs[each.action])) : null);
      }
      if (each.share) return h("td", null, percent(all.figures[each.key]));
      return h("td", null, this.format(each.key, each.key === "removes" ? null : all[each.key]));
    }));
  }

  names(i) {
    const {made, draws} = this.options, hands = this.hands;
    if (!hands.made) return "";
    const drawn = draws.filter((_, k) => (hands.draws[i] >> k) & 1);
    const hidden = drawn.includes("nut flush draw") ? ["flush draw"] : [];
    return [made[hands.made[i]], ...drawn.filter(name => !hidden.includes(name))].join(", ");
  }

  format(key, value) {
    if (value === null || value === undefined) return key === "equity" && !this.hands.equity ? "…" : "";
    if (key === "equity") return percent(value);
    if (key === "weight") return shownWeight(value);
    return key === "removes" ? (value && value < 0.1 ? shownWeight(value) : value.toFixed(1)) : chips(value);
  }

  save() {
    const {hands} = this, columns = this.columns();
    const quote = text => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
    const head = ["hand", "names", ...columns.slice(1).flatMap(each => each.action === undefined ? [each.key]
      : [hands.place.actions[each.action].token, ...(hands.actionEvs ? [`ev ${hands.place.actions[each.action].token}`] : [])])];
    const rows = this.places().map(i => [comboText(hands.combos[i]), this.names(i), ...columns.slice(1).flatMap(each =>
      each.action === undefined ? [each.value(i) ?? ""] : [each.value(i) ?? "", ...(hands.actionEvs ? [hands.actionEvs[each.action][i] ?? ""] : [])])]);
    download("hands.csv", [head, ...rows].map(row => row.map(x => quote(String(x))).join(",")).join("\n") + "\n", "text/csv");
  }
}
