// @ts-check
/** Numbers, cards, hands and actions as text. */

export const RANKS = "23456789TJQKA";
export const SUITS = "cdhs";
export const SUIT_SIGNS = {c: "♣", d: "♦", h: "♥", s: "♠"};
export const STREETS = ["Preflop", "Flop", "Turn", "River"];

/** Returns chips with as many decimals as their size needs. */
export function chips(x) {
  if (x === null || x === undefined) return "–";
  const size = Math.abs(x), digits = size >= 999.5 ? 0 : size >= 99.95 ? 1 : 2;
  const shown = size < 0.005 ? 0 : x;
  return shown.toLocaleString("en", {minimumFractionDigits: Number.isInteger(shown) ? 0 : digits, maximumFractionDigits: digits});
}

/** Returns whole chips. */
export const whole = x => Math.round(x).toLocaleString("en");

/** Returns a share as percent without the sign. */
export function percent(x, digits = 1) {
  return x === null || x === undefined ? "–" : (100 * x).toFixed(digits);
}

/** Returns a weight with two decimals; small weights keep two digits. */
export function shownWeight(x) {
  return x === 0 || x >= 0.1 ? String(Number(x.toFixed(2))) : Number(x.toPrecision(2)).toLocaleString("en", {maximumSignificantDigits: 2});
}

/** All combos: [low card, high card] by combo number. */
export const COMBOS = [];
for (let low = 0; low < 52; low++) for (let high = low + 1; high < 52; high++) COMBOS.push([low, high]);

export const cardText = card => RANKS[card >> 2] + SUITS[card & 3];
export const cardId = text => 4 * RANKS.indexOf(text[0]) + SUITS.indexOf(text[1]);
export const comboText = combo => cardText(COMBOS[combo][1]) + cardText(COMBOS[combo][0]);

/** Row and column of the hand grid, aces first; suited hands above the diagonal. */
export const CELLS = [];
for (let row = 0; row < 13; row++) {
  for (let column = 0; column < 13; column++) {
    const high = 12 - Math.min(row, column), low = 12 - Math.max(row, column);
    CELLS.push({name: RANKS[high] + RANKS[low] + (row === column ? "" : column > row ? "s" : "o"),
      size: row === column ? 6 : column > row ? 4 : 12});
  }
}
export const CELL_INDEX = new Map(CELLS.map((cell, index) => [cell.name, index]));

/** Cell of the hand grid by combo number. */
export const CELL_OF = COMBOS.map(([a, b]) => {
  const low = 12 - (a >> 2), high = 12 - (b >> 2), suited = (a & 3) === (b & 3);
  return suited ? 13 * Math.min(low, high) + Math.max(low, high) : 13 * Math.max(low, high) + Math.min(low, high);
});

/** Returns words for an action, such as "Bet 33 %". */
export function actionName(action) {
  const word = {fold: "Fold", check: "Check", call: "Call", bet: "Bet", raise: "Raise", "all-in": "All-in"}[action.kind];
  if (action.to) return `${word} ${whole(action.to)}`;
  return action.size === null || action.kind === "all-in" ? word : `${word} ${sizeText(action.size)}`;
}

export const sizeText = size => `${Math.round(100 * size)} %`;

/** Returns the amount of an action, such as "165" or "to 800". */
export function actionAmount(action) {
  if (action.kind === "fold" || action.kind === "check" || action.to) return "";
  if (action.kind === "call") return action.amount ? whole(action.amount) : "";
  return action.kind === "raise" ? `to ${whole(action.amount)}` : whole(action.amount);
}
