// @ts-check
/** Colours and patterns of actions and heat maps. They are classes and variables of explorer.css. */

const SIZED = [[], [2], [1, 3], [1, 2, 4], [1, 2, 3, 4], [0, 1, 2, 3, 4]];

/**
 * Returns the CSS class of every action of a decision: fold, call, bets by size from amber to violet.
 * @param {Array<{kind: string}>} actions
 * @returns {string[]}
 */
export function actionClasses(actions) {
  const sized = actions.filter(action => action.kind === "bet" || action.kind === "raise").length;
  const steps = sized < SIZED.length ? SIZED[sized] : null;
  let seen = 0;
  return actions.map(action => {
    if (action.kind === "fold") return "a-fold";
    if (action.kind === "check" || action.kind === "call") return "a-call";
    if (action.kind === "all-in") return "a-jam";
    const step = steps ? steps[seen] : Math.min(4, Math.floor((5 * seen) / sized));
    seen += 1;
    return `a-bet${step}`;
  });
}

/** One stop of a colour scale in the present scheme. */
function stops() {
  const style = getComputedStyle(document.documentElement);
  return ["--heat-low", "--heat-mid", "--heat-high"].map(name => {
    const hex = style.getPropertyValue(name).trim().slice(1);
    return [0, 2, 4].map(at => parseInt(hex.slice(at, at + 2), 16));
  });
}
let kept = null;

/** Forgets the colours, after the scheme has changed. */
export function forgetColours() { kept = null; }

/**
 * Returns background and text colour of a value on the scale from blue over grey to orange.
 * @param {number} x 0 is lowest, 0.5 the middle, 1 highest
 */
export function heat(x) {
  kept = kept || stops();
  const at = Math.max(0, Math.min(1, x)), low = at < 0.5 ? kept[0] : kept[1], high = at < 0.5 ? kept[1] : kept[2];
  const part = at < 0.5 ? 2 * at : 2 * at - 1;
  const rgb = low.map((value, i) => Math.round(value + part * (high[i] - value)));
  const light = (0.299 * rgb[0] + 0.587 * rgb[1] + 0.114 * rgb[2]) / 255;
  return {background: `rgb(${rgb.join(" ")})`, ink: light > 0.52 ? "#14181d" : "#f4f6f8"};
}
