// @ts-check
/** The 13 x 13 grid of hands: stacked colours of actions, or one number per hand on a colour scale. */

import {heat} from "./colours.js";
import {download, h, put} from "./dom.js";
import {CELLS} from "./text.js";

/**
 * What a cell shows.
 * @typedef {{height: number, parts?: Array<[string, number]>, value?: number|null, text?: string, title?: string}} Face
 * height is 0..1; parts are class and width 0..1 of the stacked colours; value is a place 0..1 on the colour scale.
 */

export class HandGrid {
  /**
   * @param {string} label
   * @param {{onhover?: (name: string|null) => void, onpick?: (name: string) => void}} [listeners]
   */
  constructor(label, listeners = {}) {
    this.listeners = listeners;
    this.cells = CELLS.map((cell, index) => {
      const bar = h("span.bar"), note = h("span.value");
      const button = h("button.cell", {type: "button", "data-hand": cell.name, tabindex: index ? -1 : 0,
        "aria-pressed": "false"}, bar, h("span.name", null, cell.name), note);
      return {button, bar, note};
    });
    this.element = h("div.grid", {role: "grid", "aria-label": label},
      Array.from({length: 13}, (_, row) => h("div.row", {role: "row"},
        this.cells.slice(13 * row, 13 * row + 13).map(each => each.button))));
    this.element.addEventListener("pointerover", event => this.hover(event));
    this.element.addEventListener("pointerleave", () => listeners.onhover && listeners.onhover(null));
    this.element.addEventListener("focusin", event => this.hover(event));
    this.element.addEventListener("click", event => {
      const cell = event.target.closest(".cell");
      if (cell && listeners.onpick) listeners.onpick(cell.dataset.hand);
    });
    this.element.addEventListener("keydown", event => this.key(event));
    /** @type {Face[]} */
    this.faces = [];
  }

  hover(event) {
    const cell = event.target.closest(".cell");
    if (cell && this.listeners.onhover && event.pointerType !== "touch") this.listeners.onhover(cell.dataset.hand);
  }

  key(event) {
    const step = {ArrowLeft: -1, ArrowRight: 1, ArrowUp: -13, ArrowDown: 13}[event.key];
    const now = this.cells.findIndex(each => each.button === document.activeElement);
    if (step === undefined || now < 0) return;
    event.preventDefault();
    event.stopPropagation();
    const next = now + step;
    if (next < 0 || next > 168 || (Math.abs(step) === 1 && Math.floor(next / 13) !== Math.floor(now / 13))) return;
    this.cells[now].button.tabIndex = -1;
    this.cells[next].button.tabIndex = 0;
    this.cells[next].button.focus();
  }

  focus() {
    (this.cells.find(each => each.button.tabIndex === 0) || this.cells[0]).button.focus();
  }

  /** Shows faces, one per cell in the order of CELLS. @param {Face[]} faces */
  show(faces) {
    this.faces = faces;
    faces.forEach((face, index) => this.paint(this.cells[index], face, index));
  }

  paint(cell, face, index) {
    const {button, bar, note} = cell;
    button.classList.toggle("empty", face.height <= 0);
    const parts = face.parts || [];
    if (face.value !== undefined && face.value !== null && face.height > 0) {
      const {background, ink} = heat(face.value);
      put(bar, h("i", {style: {width: "100%", background}}));
      button.style.setProperty("--ink", ink);
      button.classList.add("heated");
    } else {
      put(bar, parts.filter(([, width]) => width > 0.001).map(([name, width]) =>
        h(`i.${name}`, {style: {width: `${(100 * width).toFixed(2)}%`}})));
      button.classList.remove("heated");
    }
    bar.style.height = `${(100 * Math.min(1, face.height)).toFixed(1)}%`;
    note.textContent = face.text || "";
    button.setAttribute("aria-label", `${CELLS[index].name}${face.title ? `: ${face.title}` : ""}`);
  }

  /** Marks the pinned hand, or none. */
  mark(name) {
    this.cells.forEach((each, index) => each.button.setAttribute("aria-pressed", String(CELLS[index].name === name)));
  }

  repaint() { if (this.faces.length) this.show(this.faces); }

  /** Saves a picture of the grid. */
  save(name, heading) {
    const size = 56, top = 36, canvas = h("canvas", {width: 13 * size + 1, height: 13 * size + top + 1});
    const pen = canvas.getContext("2d"), style = getComputedStyle(document.documentElement);
    pen.fillStyle = style.getPropertyValue("--surface");
    pen.fillRect(0, 0, canvas.width, canvas.height);
    pen.fillStyle = style.getPropertyValue("--ink");
    pen.font = "600 17px system-ui, sans-serif";
    pen.fillText(heading, 4, 23, canvas.width - 8);
    this.cells.forEach(({button, bar, note}, index) => {
      const x = (index % 13) * size, y = top + Math.floor(index / 13) * size;
      pen.fillStyle = style.getPropertyValue("--cell");
      pen.fillRect(x, y, size, size);
      const tall = size * parseFloat(bar.style.height || "0") / 100;
      let left = x;
      for (const part of bar.children) {
        const wide = size * parseFloat(part.style.width) / 100;
        pen.fillStyle = getComputedStyle(part).backgroundColor;
        pen.fillRect(left, y + size - tall, wide, tall);
        left += wide;
      }
      pen.strokeStyle = style.getPropertyValue("--surface");
      pen.strokeRect(x + 0.5, y + 0.5, size, size);
      pen.fillStyle = getComputedStyle(button).color;
      pen.font = "600 15px system-ui, sans-serif";
      pen.fillText(CELLS[index].name, x + 5, y + 18);
      pen.font = "13px system-ui, sans-serif";
      pen.fillText(note.textContent, x + 5, y + size - 8);
    });
    canvas.toBlob(blob => blob && download(name, blob, "image/png"));
  }
}
