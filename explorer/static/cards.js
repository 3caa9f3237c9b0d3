// @ts-check
/** Playing cards, and grids of cards to choose from. */

import {h} from "./dom.js";
import {RANKS, SUITS, SUIT_SIGNS} from "./text.js";

/** Returns one small card. */
export function cardFace(card) {
  return h(`span.card.s-${card[1]}`, {"aria-label": card}, card[0], h("span", {"aria-hidden": true}, SUIT_SIGNS[card[1]]));
}

/** Returns several cards in a row. */
export const cardRow = cards => h("span.cards", null, cards.map(cardFace));

const SUIT_ORDER = [...SUITS].reverse();

/**
 * Returns a grid of 52 cards, ranks from left to right, suits from top to bottom.
 * @param {{face?: (card: string) => any, onpick: (card: string) => void, off?: (card: string) => boolean,
 *   pressed?: (card: string) => boolean, label: string, ranks?: boolean}} options
 */
export function cardGrid(options) {
  const buttons = new Map();
  const made = h("div.deck", {role: "grid", "aria-label": options.label}, SUIT_ORDER.map(suit =>
    h("div.row", {role: "row"}, [...RANKS].reverse().map(rank => {
      const card = rank + suit, off = options.off ? options.off(card) : false;
      const button = h(`button.deck-card.s-${suit}`, {type: "button", "data-card": card, disabled: off,
        "aria-pressed": options.pressed ? String(options.pressed(card)) : null,
        onclick: () => options.onpick(card)},
        h("span.corner", null, rank, h("span", {"aria-hidden": true}, SUIT_SIGNS[suit])),
        options.face ? options.face(card) : null);
      buttons.set(card, button);
      return button;
    }))));
  made.addEventListener("keydown", event => {
    const step = {ArrowLeft: -1, ArrowRight: 1, ArrowUp: -13, ArrowDown: 13}[event.key];
    const all = [...buttons.values()], now = all.indexOf(document.activeElement);
    if (step === undefined || now < 0) return;
    event.preventDefault();
    event.stopPropagation();
    for (let next = now + step; next >= 0 && next < all.length; next += step) {
      if (!all[next].disabled) { all[next].focus(); return; }
    }
  });
  return Object.assign(made, {buttons});
}
