// @ts-check
/** The line as a row of decision cards, from the first decision to the present one. */

import {actionClasses} from "./colours.js";
import {cardFace} from "./cards.js";
import {h, put} from "./dom.js";
import {STREETS, actionAmount, actionName, percent, whole} from "./text.js";

/**
 * @param {any} element the row to fill
 * @param {Array<any>} path steps of the place
 * @param {{go: (line: string) => void, players: string[], join?: (line: string, token: string) => string, end?: string}} options
 */
export function showLine(element, path, options) {
  const join = options.join || ((line, token) => `${line} ${token}`.trim());
  const steps = path.map((step, index) => {
    const now = index === path.length - 1 && (step.chosen === null || step.card === null);
    if (step.kind === "card") {
      const cards = step.card ? step.card.match(/../g) : [];
      return h(`div.step.deal${now ? ".now" : ""}`, null,
        h("div.step-head", null, STREETS[step.street]),
        h("button.step-card", {type: "button", title: "Choose another card", onclick: () => options.go(step.line)},
          cards.length ? cards.map(cardFace) : h("span.soft", null, "choose")));
    }
    const classes = actionClasses(step.actions);
    return h(`div.step${now ? ".now" : ""}`, null,
      h("div.step-head", null, h("button", {type: "button", title: "Back to this decision", onclick: () => options.go(step.line)},
        options.players[step.player]), h("span.soft", null, whole(step.pot))),
      h("ul", null, step.actions.map((action, i) => h("li", null,
        h("button.choice", {type: "button", "data-token": action.token, "aria-pressed": String(step.chosen === i),
          onclick: () => options.go(join(step.line, action.token, step))},
          h("span.fill", null, h(`i.${classes[i]}`, {style: {width: percent(step.freq ? step.freq[i] : 0) + "%"}})),
          h("span.choice-name", null, actionName(action), " ", h("small", null, actionAmount(action))),
          h("span.choice-share", null, step.freq ? percent(step.freq[i]) : ""))))));
  });
  if (options.end) steps.push(h("div.step.end.now", null, h("div.step-head", null, "End"), h("p", null, options.end)));
  put(element, steps);
  const last = element.lastElementChild;
  if (last) element.scrollLeft = last.offsetLeft;
}
