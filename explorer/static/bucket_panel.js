// @ts-check
/** The card buckets of a decision: the branches of the betting tree at a card, on one board. */

import {actionClasses} from "./colours.js";
import {cardRow} from "./cards.js";
import {h, notice, put} from "./dom.js";
import {actionName, percent} from "./text.js";

const SHARES = [["equity", "Equity %", "against one random hand"], ["distance", "Dist. %", "distance to the strategy trained for three players"],
  ["unreached", "NaN %", "candidates that the two-player strategy hardly ever reaches"], ["reached", "Reached", "whether the strategy itself plays towards it"]];

export class BucketPanel {
  /**
   * @param {{title: string, about: string, open: boolean, load: (line: string, signal: AbortSignal) => Promise<any>,
   *   onopen: (open: boolean) => void, onpick: (combos: number[]|null) => void}} options
   */
  constructor(options) {
    this.options = options;
    this.sort = {key: "bucket", down: false};
    this.body = h("div");
    this.element = h("details.panel.buckets", {open: options.open, ontoggle: () => this.toggled()},
      h("summary.panel-title", null, options.title), h("p.soft", null, options.about), this.body);
    this.request = new AbortController();
  }

  toggled() {
    this.options.onopen(this.element.open);
    if (this.element.open) this.load();
    else this.pick(null);
  }

  /** Shows the buckets of another place. */
  show(place) {
    this.place = place;
    this.chosen = null;
    this.options.onpick(null);
    this.element.hidden = place.kind !== "decision";
    if (this.element.open && !this.element.hidden) this.load();
  }

  async load() {
    if (!this.place) return;
    this.request.abort();
    this.request = new AbortController();
    const {place} = this;
    try {
      const {rows} = await this.options.load(place.line, this.request.signal);
      if (place !== this.place) return;
      this.rows = rows;
      this.paint();
    } catch (error) {
      if (error.name !== "AbortError") notice(error.message, true);
    }
  }

  pick(bucket) {
    if (this.chosen === bucket || !this.rows) return;
    this.chosen = bucket;
    const row = this.rows.find(each => each.bucket === bucket);
    this.options.onpick(row ? row.combos : null);
    this.paint();
  }

  columns() {
    const {place, rows} = this, classes = actionClasses(place.actions), any = key => rows.length && rows[0][key] !== undefined;
    return [
      {key: "bucket", name: "Bucket", value: row => row.bucket},
      {key: "combos", name: "Hands", title: "combos on this board", value: row => row.combos.length},
      {key: "share", name: "Range %", title: "share of the range", value: row => row.share, text: row => percent(row.share)},
      ...place.actions.map((action, i) => ({key: `a${i}`, name: actionName(action), swatch: classes[i], value: row => row.probabilities[i], text: row => percent(row.probabilities[i])})),
      ...SHARES.filter(([key]) => any(key)).map(([key, name, title]) => ({key, name, title, value: row => row[key],
        text: row => (key === "reached" ? (row.reached > .5 ? "yes" : "no, NaN") : percent(row[key]))})),
    ];
  }

  paint() {
    const columns = this.columns(), column = columns.find(each => each.key === this.sort.key) || columns[0];
    const sorted = [...this.rows].sort((a, b) => column.value(a) - column.value(b) || a.bucket - b.bucket);
    if (this.sort.down) sorted.reverse();
    const sizes = this.rows.map(row => row.combos.length).sort((a, b) => a - b);
    const heading = each => h("th", {title: each.title, "aria-sort": each.key === column.key ? (this.sort.down ? "descending" : "ascending") : null},
      h("button", {type: "button", onclick: () => {
        this.sort = {key: each.key, down: each.key === this.sort.key ? !this.sort.down : each.key !== "bucket"};
        this.paint();
      }}, each.swatch ? h(`i.swatch.${each.swatch}`) : null, each.name));
    put(this.body,
      h("div.tool-row", null, h("span.soft", null, this.rows.length ? `${this.rows.length} buckets; smallest ${sizes[0]}, median ${sizes[sizes.length >> 1]}, largest ${sizes[sizes.length - 1]} hands` : "no buckets: another player answers here"),
        this.chosen === null ? null : h("button.quiet", {type: "button", onclick: () => this.pick(null)}, `Bucket ${this.chosen} alone: show all`)),
      this.rows.length ? h("div.scroll.combos", {tabindex: 0, role: "region", "aria-label": "Buckets"}, h("table", null,
        h("thead", null, h("tr", null, columns.map(heading), h("th.left", null, "For example"))),
        h("tbody", null, sorted.map(row => h(`tr${row.bucket === this.chosen ? ".taken" : ""}`, {"data-bucket": row.bucket},
          columns.map(each => each.key === "bucket"
            ? h("td", null, h("button.link", {type: "button", title: "Show its hands alone", "aria-pressed": String(row.bucket === this.chosen),
              onclick: () => this.pick(row.bucket === this.chosen ? null : row.bucket)}, String(row.bucket)))
            : h("td", null, each.text ? each.text(row) : String(each.value(row)))),
          h("td.left", null, h("span.examples", null, row.examples.map(hand => cardRow(hand.match(/../g)))))))))) : null);
  }
}
