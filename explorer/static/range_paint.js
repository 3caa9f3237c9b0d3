// @ts-check
/** A range to paint on the hand grid, with its text. */

import {post} from "./api.js";
import {h} from "./dom.js";
import {HandGrid} from "./grid.js";
import {CELLS, percent, shownWeight} from "./text.js";

export class RangePaint {
  /** @param {string} name @param {() => void} onchange */
  constructor(name, onchange) {
    this.onchange = onchange;
    this.text = "";
    this.cells = {};
    this.brush = 1;
    this.grid = new HandGrid(`Range of ${name}`);
    this.box = h("textarea", {rows: 3, "aria-label": `Range of ${name} as text`, placeholder: "66+,A8s+,KTo+:0.5",
      onchange: () => this.read(this.box.value, [], 1)});
    this.slider = h("input", {type: "range", min: 0, max: 100, step: 5, value: 100, "aria-label": "Weight to paint",
      oninput: () => { this.brush = Number(this.slider.value) / 100; this.shown.textContent = `${this.slider.value} %`; }});
    this.shown = h("span.soft", null, "100 %");
    this.count = h("span.soft");
    const preset = (label, text) => h("button.quiet", {type: "button", onclick: () => this.read(text, [], 1)}, label);
    this.element = h("section.panel.range-paint", {"aria-label": `Range of ${name}`},
      h("h2.panel-title", null, `Range of ${name} `, this.count),
      this.grid.element,
      h("div.tool-row", null, h("label", null, "Paint with ", this.slider), this.shown, preset("Clear", ""), preset("All", "random"), preset("Top 20 %", "55+,A4s+,K8s+,Q9s+,J9s+,T9s,A9o+,KTo+,QTo+,JTo")),
      this.box);
    this.stroke = null;
    this.grid.element.addEventListener("pointerdown", event => this.begin(event));
    this.grid.element.addEventListener("pointerover", event => this.paint(event));
    this.grid.element.addEventListener("click", event => { if (event.detail === 0) { this.begin(event); this.end(); } });
    addEventListener("pointerup", () => this.end());
    this.grid.element.style.touchAction = "none";
  }

  hand(event) {
    const under = event.pointerType === "touch" ? document.elementFromPoint(event.clientX, event.clientY) : event.target;
    const cell = under && under.closest ? under.closest(".cell") : null;
    return cell && this.grid.element.contains(cell) ? cell.dataset.hand : null;
  }

  begin(event) {
    const hand = this.hand(event);
    if (!hand) return;
    if (event.pointerId !== undefined && event.target.hasPointerCapture && event.target.hasPointerCapture(event.pointerId)) event.target.releasePointerCapture(event.pointerId);
    const same = Math.abs((this.cells[hand] || 0) - this.brush) <= 0.001 * this.brush;
    this.stroke = {hands: new Set(), weight: same ? 0 : this.brush};
    this.add(hand);
  }

  paint(event) {
    const hand = this.stroke && this.hand(event);
    if (hand) this.add(hand);
  }

  add(hand) {
    if (this.stroke.hands.has(hand)) return; // drawing a cell anew under the pointer is another pointerover
    this.stroke.hands.add(hand);
    this.cells[hand] = this.stroke.weight;
    this.show();
  }

  end() {
    const {stroke} = this;
    this.stroke = null;
    if (stroke) this.read(this.text, [...stroke.hands], stroke.weight);
  }

  /** Sets the range from text, after painting hands. A text that is refused stays, without hands, for the spot to refuse. */
  async read(text, hands, weight, quiet = false) {
    const mine = (this.asked = {});
    let found, fault = "";
    try {
      found = await post("solve/range", {text, hands, weight});
    } catch (error) {
      fault = error.message;
      found = {text, cells: {}, combos: null};
    }
    if (mine !== this.asked) return;
    this.text = found.text;
    this.cells = found.cells;
    this.box.value = found.text;
    this.box.setCustomValidity(fault);
    this.count.textContent = found.combos === null ? "" : `${shownWeight(found.combos)} combos, ${percent(found.combos / 1326)} %`;
    this.show();
    if (!quiet) this.onchange();
  }

  show() {
    this.grid.show(CELLS.map(cell => {
      const weight = this.cells[cell.name] || 0;
      const share = weight && weight < 0.005 ? "<1" : String(Math.round(100 * weight));
      return {height: weight && Math.max(weight, 0.04), parts: [["a-call", 1]], text: weight && weight < 1 ? share : "", title: `${shownWeight(100 * weight)} %`};
    }));
  }
}
