// @ts-check
/** Makes and fills elements. Text is always set as text, never as HTML. */

/**
 * Returns an element, for example h("button.quiet", {onclick: f}, "Text").
 * @param {string} name tag and classes
 * @param {Object<string, any>|null} [props] "on..." are listeners, "style" an object, the rest attributes
 * @param {...any} children elements, texts, lists; null is left out
 * @returns {any}
 */
export function h(name, props, ...children) {
  const [tag, ...classes] = name.split(".");
  const made = document.createElement(tag || "div");
  if (classes.length) made.className = classes.join(" ");
  set(made, props);
  fill(made, children);
  return made;
}

const SVG = "http://www.w3.org/2000/svg";

/** Returns an SVG element; parameters as for h. @returns {any} */
export function svg(name, props, ...children) {
  const made = document.createElementNS(SVG, name);
  set(made, props);
  fill(made, children);
  return made;
}

function set(made, props) {
  for (const [key, value] of Object.entries(props || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (key === "style") for (const [name, text] of Object.entries(value)) made.style.setProperty(name, text);
    else if (key === "value" || key === "checked" || key === "disabled" || key === "selected") made[key] = value;
    else made.setAttribute(key, value === true ? "" : String(value));
  }
}

function fill(made, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    made.append(child instanceof Node ? child : String(child));
  }
}

/** Replaces what an element holds. */
export function put(element, ...children) {
  element.replaceChildren();
  fill(element, children);
  return element;
}

let noticeTimer = 0;

/** Shows a short message at the bottom of the page. */
export function notice(text, bad = false) {
  const box = document.getElementById("notice");
  if (!box) return;
  box.textContent = text;
  box.classList.toggle("bad", bad);
  box.hidden = false;
  clearTimeout(noticeTimer);
  noticeTimer = setTimeout(() => { box.hidden = true; }, bad ? 8000 : 2500);
}

/** Takes a message about a mistake away, because what it was about has been done. */
export function mended() {
  const box = document.getElementById("notice");
  if (box && box.classList.contains("bad")) box.hidden = true;
}

/** Returns a message that stays on the page, in the place of what could not be shown. */
export function problem(error) {
  return h("div.problem", {role: "alert"}, h("strong", null, "This cannot be shown. "), error.message || String(error));
}

/** Saves text or a blob as a file of the reader. */
export function download(name, content, type = "text/plain") {
  const blob = content instanceof Blob ? content : new Blob([content], {type});
  const link = h("a", {href: URL.createObjectURL(blob), download: name});
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 5000);
}

/** Copies text, and says so. */
export async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
    notice(`${what} copied`);
  } catch {
    const area = h("textarea", {value: text, style: {position: "fixed", opacity: "0"}});
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    notice(done ? `${what} copied` : "The browser does not allow copying", !done);
  }
}

/** Returns a select element. @param {Array<[string, string]>} choices value and text */
export function select(label, choices, value, onchange) {
  const made = h("select", {"aria-label": label, onchange: event => onchange(event.target.value)},
    choices.map(([key, text]) => h("option", {value: key, selected: key === value}, text)));
  return made;
}

/** Returns a row of buttons of which one is pressed. */
export function segments(label, choices, value, onchange) {
  const buttons = choices.map(([key, text, title]) =>
    h("button", {type: "button", "data-value": key, "aria-pressed": String(key === value), title,
      onclick: () => { pick(key); onchange(key); }}, text));
  const pick = key => buttons.forEach(each => each.setAttribute("aria-pressed", String(each.dataset.value === key)));
  const made = h("div.segments", {role: "group", "aria-label": label}, buttons);
  return Object.assign(made, {pick});
}

/** Calls a function at most once per frame, with the arguments of the last call. */
export function perFrame(work) {
  let waiting = false, last = [];
  return (...args) => {
    last = args;
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; work(...last); });
  };
}

/** localStorage that may be forbidden. */
export const memory = {
  get(key, otherwise) {
    try { return localStorage.getItem(`hedgehog.${key}`) ?? otherwise; } catch { return otherwise; }
  },
  set(key, value) {
    try { localStorage.setItem(`hedgehog.${key}`, value); } catch { /* not kept */ }
  },
};
