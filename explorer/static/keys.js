// @ts-check
/** The keys of all views, for the list of keys. */
export const KEYS = [
  ["← →", "one step back or forth along the line"],
  ["↑ ↓", "the other actions of the last decision, or the other cards"],
  ["1 … 9", "take the first to ninth action"],
  ["Backspace", "one step back"],
  ["p", "the other player's hands"],
  ["m", "the next figure: strategy, EV, equity, EV of the pot, weight"],
  ["g", "to the hand grid; there the arrow keys move, Enter pins, Escape lets go"],
  ["?", "this list"],
];
