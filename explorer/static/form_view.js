// @ts-check
/** The form for a new spot: board, ranges, bet sizes; estimate, solve, progress, save. */

import {forget, get, item, post} from "./api.js";
import {crumbs} from "./app.js";
import {cardGrid, cardRow} from "./cards.js";
import {copy, h, memory, mended, notice, put, segments, select} from "./dom.js";
import {lineChart} from "./chart.js";
import {RangePaint} from "./range_paint.js";
import {percent, whole} from "./text.js";

const STREETS = ["flop", "turn", "river"];
const START = {spot: "my-spot", pot: "500", stack: "9750",
  range: {oop: "22+,A2s+,K9s+,Q9s+,J8s+,T8s+,97s+,86s+,75s+,65s,54s,ATo+,KTo+,QTo+,JTo", ip: "22+,A2s+,K5s+,Q8s+,J8s+,T7s+,96s+,86s+,75s+,64s+,53s+,A7o+,K9o+,QTo+,JTo"},
  sizes: {flop: {oop: "33%,75% / 100%", ip: "33%,75% / 100%"}, turn: {oop: "66% / 100%", ip: "66% / 100%"}, river: {oop: "75%,a / 100%", ip: "75%,a / 100%"}},
  add_allin_threshold: "1.0", force_allin_threshold: "0.15"};
const FIELDS = ["spot", "board", "pot", "stack", "range", "sizes", "add_allin_threshold", "force_allin_threshold", "merging_threshold", "max_bets", "rake"];
const NO_BETS = "none";
const PRESETS = ["20bb", "50bb", "100bb", "200bb"];
const EXTRA = [["add_allin_threshold", "All-in is offered up to … pots"], ["force_allin_threshold", "A bet leaving less than … pots is all-in"],
  ["merging_threshold", "Merge sizes closer than"], ["max_bets", "Bets and raises per street, at most"]];

export async function showForm(view, {params, signal}) {
  crumbs(["Solve a spot", null]);
  const values = {board: []};
  let held = {form: {}, name: ""};
  const field = (value, label, extra = {}) => h("input", {type: "text", value, "aria-label": label, oninput: () => changed(), ...extra});
  const name = field("", "Name", {size: 18}), pot = field("500", "Pot", {size: 8, inputmode: "numeric"}), stack = field("9750", "Stack", {size: 8, inputmode: "numeric"});
  const rate = field("", "Rake, percent", {size: 5}), cap = field("", "Rake, at most chips", {size: 6});
  const extras = Object.fromEntries(EXTRA.map(([key, label]) => [key, field("", label, {size: 5})]));
  const sizes = Object.fromEntries(STREETS.flatMap(street => ["oop", "ip", "donk"].filter(who => who !== "donk" || street !== "flop")
    .map(who => [`${street}.${who}`, field("", `${street} sizes of ${who}`, {size: 18, placeholder: who === "donk" ? `as OOP; ${NO_BETS}: no bets` : "33%,75% / 2.5x,a"})])));
  const paints = [new RangePaint("OOP", () => changed()), new RangePaint("IP", () => changed())];
  const boardBox = h("div"), boardText = h("span"), yaml = h("textarea.yaml", {rows: 18, spellcheck: "false", "aria-label": "Spot file (YAML)", oninput: () => typed()});
  const kept = h("div.soft"), comments = h("p.soft", {hidden: ""}, "The comments of the text are lost when the form changes.");
  const unread = h("p", {hidden: "", role: "status"}, "The form waits until it has read this text. ",
    h("button.quiet", {type: "button", onclick: () => { clearTimeout(waiting); fresh(); writing = write(); }}, "Back to the form's text"));
  const size = h("div.estimate", {"aria-live": "polite"}), job = h("section.panel.job", {"aria-label": "The solve"});
  const target = h("input", {type: "number", min: 0, max: 100, step: "any", value: memory.get("target", "0.5"), "aria-label": "Target, percent of the pot"});
  const iterations = h("input", {type: "number", min: 1, max: 100000, value: 100000, "aria-label": "Iterations, at most"});
  let storage = "auto", estimated = {};

  function sizesRow(street) {
    return h("tr", null, h("th", null, street), ["oop", "ip", "donk"].map(who => h("td.left", null, sizes[`${street}.${who}`] || null)));
  }

  /** Returns the form: what the fields hold, and every key of the text that has no field here. */
  function collect() {
    const made = {...held.form, spot: name.value === held.name ? held.form.spot : name.value, board: values.board.join(" "), pot: pot.value.trim(),
      stack: stack.value.trim(), range: {oop: paints[0].text, ip: paints[1].text}, sizes: {}};
    for (const street of STREETS.slice(Math.max(values.board.length, 3) - 3)) {
      made.sizes[street] = {};
      for (const who of ["oop", "ip", "donk"]) {
        const text = sizes[`${street}.${who}`]?.value.trim();
        if (who !== "donk") made.sizes[street][who] = text;
        else if (text) made.sizes[street].donk = text === NO_BETS ? "" : text;
      }
    }
    // A text may name its betting lines instead of sizes.
    if (held.form.lines && Object.values(sizes).every(box => !box.value.trim())) delete made.sizes;
    for (const [key] of EXTRA) {
      if (extras[key].value.trim()) made[key] = extras[key].value.trim();
      else delete made[key];
    }
    const rake = {};
    if (rate.value.trim()) rake.percent = rate.value.trim();
    if (cap.value.trim()) rake.cap = cap.value.trim();
    if (Object.keys(rake).length) made.rake = rake;
    else delete made.rake;
    return made;
  }

  let waiting = 0, writing = Promise.resolve();
  /** The form has changed: its text follows, and the estimate of the text. */
  function changed() {
    fresh();
    clearTimeout(waiting);
    waiting = setTimeout(() => { writing = write(); }, 250);
  }

  async function write() {
    waiting = 0;
    const mine = estimated;
    try {
      const {spot} = await post("solve/write", {form: collect()}, signal);
      if (mine === estimated) setText(spot);
    } catch (error) {
      refuse(mine, error);
    }
  }

  /** Shows a text that the form holds. */
  function setText(text) {
    yaml.value = text;
    memory.set("spot", text);
    fields.inert = false;
    unread.hidden = true;
    return estimate();
  }

  /** Takes the estimate and messages of the spot before off the page. */
  function fresh() {
    put(size, h("p.soft", null, "…"));
    return (estimated = {});
  }

  function refuse(mine, error) {
    if (mine === estimated && error.name !== "AbortError") put(size, h("p.bad", {role: "alert"}, error.message));
  }

  async function estimate() {
    const mine = fresh();
    if (!fields.inert && values.board.length < 3) { put(size, h("p.soft", null, "Choose three to five cards for the board.")); return; }
    try {
      const found = await post("solve/estimate", {spot: yaml.value}, signal);
      if (mine !== estimated) return;
      if (found.broken_off) { put(size, h("p.soft", null, "A newer request took the place of the estimate.")); return; }
      const gb = bytes => (bytes >= 1e9 ? `${(bytes / 1e9).toFixed(2)} GB` : bytes >= 1e6 ? `${(bytes / 1e6).toFixed(1)} MB` : `${Math.ceil(bytes / 1e3)} kB`);
      put(size, h("p", null, `${whole(found.nodes.reduce((a, b) => a + b, 0))} nodes, ${whole(found.hands[0])} and ${whole(found.hands[1])} hands. `,
        h("strong", null, `${gb(found.memory.f32)} of memory`), `, ${gb(found.memory.f16)} in half precision; ${gb(found.free)} are free`,
        found.fits.f32 ? "." : found.fits.f16 ? ": it fits in half precision." : ": it does not fit. Use fewer bet sizes or smaller ranges."));
    } catch (error) {
      refuse(mine, error);
    }
  }

  /** The text was written into: the form waits until it has read the text. */
  function typed() {
    clearTimeout(waiting);
    memory.set("spot", yaml.value);
    fields.inert = true;
    unread.hidden = false;
    fresh();
    waiting = setTimeout(() => { waiting = 0; estimate(); }, 350);
  }

  function board() {
    put(boardText, values.board.length ? cardRow(values.board) : h("span.soft", null, "none"));
    const deck = cardGrid({label: "Board", pressed: card => values.board.includes(card), off: card => values.board.length >= 5 && !values.board.includes(card),
      onpick: card => {
        values.board = values.board.includes(card) ? values.board.filter(each => each !== card) : [...values.board, card];
        board();
        changed();
        deck.buttons.get(card)?.focus();
      }});
    deck.classList.add("plain");
    put(boardBox, deck);
  }

  /** Fills the fields from what the server has read out of a text. */
  async function fillIn(found) {
    const {form} = found;
    values.board = found.board.split(" ").filter(Boolean);
    name.value = form.spot; pot.value = form.pot; stack.value = form.stack;
    held = {form, name: name.value}; // a field holds no line breaks
    for (const [key, box] of Object.entries(sizes)) {
      const [street, who] = key.split("."), text = form.sizes?.[street]?.[who];
      box.value = who === "donk" && text === "" ? NO_BETS : text || "";
    }
    for (const [key] of EXTRA) extras[key].value = form[key] || "";
    rate.value = found.percent;
    cap.value = form.rake?.cap || "";
    comments.hidden = !found.comments;
    board();
    showKept();
    await Promise.all([paints[0].read(form.range.oop, [], 1, true), paints[1].read(form.range.ip, [], 1, true)]);
  }

  /** Shows the keys of the text that have no field in the form. */
  function showKept() {
    const keys = Object.keys(held.form).filter(key => !FIELDS.includes(key));
    put(kept, keys.map(key => h("p", null, `The form keeps ${key}`, typeof held.form[key] === "string" ? `: ${held.form[key]} ` : Array.isArray(held.form[key]) ? ` (${held.form[key].length}) ` : " ",
      h("button.quiet", {type: "button", onclick: () => { delete held.form[key]; showKept(); changed(); }}, "Leave out"))));
  }

  /** Reads a text into the form; a text that is refused stays in its box. @returns {Promise<boolean>} */
  async function applyYaml(text) {
    clearTimeout(waiting);
    const mine = fresh();
    try {
      const found = await post("solve/read", {spot: text}, signal);
      if (mine !== estimated) return false;
      await fillIn(found);
      setText(text);
      return true;
    } catch (error) {
      if (mine === estimated && error.name !== "AbortError") {
        yaml.value = text;
        fields.inert = true;
        unread.hidden = false;
      }
      refuse(mine, error);
      return false;
    }
  }

  async function command(what, content = {}) {
    try {
      showJob(await post(`solve/${what}`, content, signal));
      mended();
      follow();
    } catch (error) {
      if (error.name !== "AbortError") notice(error.message, true);
    }
  }

  let following = false;
  async function follow() {
    if (following) return;
    following = true;
    try {
      for (;;) {
        const status = await get("solve", null, signal);
        showJob(status);
        if (!["preparing", "running", "saving"].includes(status.state)) { if (status.item) forget(); return; }
        await new Promise(done => setTimeout(done, 500));
        if (signal.aborted) return;
      }
    } catch (error) {
      if (error.name !== "AbortError") notice(error.message, true);
    } finally {
      following = false;
    }
  }

  const STATES = {none: "Nothing is being solved.", preparing: "Getting ready", running: "Solving", saving: "Saving", done: "Solved and saved", stopped: "Stopped", failed: "It failed"};
  function showJob(status) {
    const busy = ["preparing", "running", "saving"].includes(status.state);
    start.disabled = busy;
    const share = status.expected ? Math.min(1, status.iterations / status.expected) : 0;
    const seconds = status.iterations && share > 0 && share < 1 ? (status.seconds / share) * (1 - share) : null;
    put(job, h("h2.panel-title", null, `${STATES[status.state]}${status.name ? `: ${status.name}` : ""}`),
      status.error || status.warning ? h("p.bad", null, status.error || status.warning) : null,
      status.state === "none" ? null : h("div.progress", {role: "progressbar", "aria-valuenow": Math.round(100 * share), "aria-label": "Progress"}, h("i.a-call", {style: {width: `${100 * share}%`}})),
      status.state === "none" ? null : h("p.soft", null, `${whole(status.iterations || 0)} iterations in ${(status.seconds || 0).toFixed(1)} s`,
        status.pct_pot === undefined ? "" : `, exploitability ${status.pct_pot.toFixed(3)} % of the pot (target ${status.target_pct} %)`,
        busy && seconds !== null && status.history.length ? `, about ${Math.ceil(seconds)} s left` : ""),
      status.history && status.history.length > 1 ? lineChart([{name: "exploitability", points: status.history.map(([done, , pct]) => [done, pct])}],
        {x: "iterations", y: "% of the pot", log: true, label: "Exploitability by iterations", target: status.target_pct || null}) : null,
      h("div.tool-row", null,
        busy ? h("button", {type: "button", onclick: () => command("stop")}, "Stop and save") : null,
        busy ? h("button.quiet", {type: "button", onclick: () => command("save")}, "Save now") : null,
        status.item ? h("a.button", {href: `#/solve/${encodeURIComponent(status.item)}`}, busy ? "Look at what is saved" : "Look at it") : null,
        status.spot && !busy ? h("button.quiet", {type: "button", onclick: () => applyYaml(status.spot)}, "Load its spot again") : null));
  }

  const asked = {player: params.get("player") || "", stack: params.get("stack") || "", blinds: params.get("blinds") || "", line: params.get("line") || ""};
  const presetStack = h("input", {type: "text", size: 7, placeholder: "37.5bb", value: asked.stack, "aria-label": "Stack of our player, in chips or big blinds"});
  const presetBlinds = h("input", {type: "text", size: 7, placeholder: "50/100", value: asked.blinds, "aria-label": "Blinds of our player"});
  const presetLines = h("datalist", {id: "preset-lines"}), presetNote = h("span.soft", {role: "status"});
  const presetLine = h("input", {type: "text", size: 16, list: "preset-lines", value: asked.line, placeholder: "r250c", "aria-label": "Betting line of our player"});
  const depthPick = segments("Stacks of our player", PRESETS.map(stack => [stack, stack.replace("bb", " BB")]), asked.stack, value => {
    presetStack.value = value;
    fillPreset(true);
  });
  let filled = {blinds: asked.blinds, line: asked.line}; // a line that is left as it was says nothing in chips of other blinds
  const presetForm = h("section.panel.preset", null, h("h2.panel-title", null, "Our player's ranges", h("span.soft", null, " after a line, with its pot and stacks")),
    h("form.tool-row", {onsubmit: event => { event.preventDefault(); fillPreset(presetBlinds.value !== filled.blinds && presetLine.value === filled.line); }},
      depthPick, h("label", null, "or ", presetStack), h("label", null, "Blinds ", presetBlinds), h("label", null, "Line ", presetLine), presetLines,
      h("button.quiet", null, "Fill in"), presetNote));

  /** Fills the form with the ranges of our player; returns false if that is refused. @param {boolean} choose take the likeliest line if the player has not the one in the field */
  async function fillPreset(choose) {
    const stack = presetStack.value.replace(/\s+/g, "").toLowerCase() || PRESETS[PRESETS.length - 1], blinds = presetBlinds.value.replace(/\s+/g, "");
    depthPick.pick(stack);
    try {
      const found = await post("solve/lines", {stack, blinds, player: asked.player}, signal);
      put(presetLines, found.lines.map(({line, share}) => h("option", {value: line}, `${percent(share)} % of all hands`)));
      const typed = presetLine.value.trim(), [likeliest] = found.lines;
      if (likeliest && (!typed || (choose && !found.lines.some(({line}) => line === typed)))) presetLine.value = likeliest.line;
      filled = {blinds: presetBlinds.value, line: presetLine.value};
      const {text} = await post("solve/preset", {stack, blinds, line: presetLine.value.trim(), board: values.board.join(" "), player: asked.player}, signal);
      if (!await applyYaml(text)) return false;
      mended();
      put(presetNote, found.strategy_bb === found.game_bb ? `Ranges of the strategy for ${found.strategy_bb} BB.`
        : `Ranges of the strategy for ${found.strategy_bb} BB, the nearest depth to ${found.game_bb}.`);
      return true;
    } catch (error) {
      if (error.name !== "AbortError") notice(error.message, true);
      return false;
    }
  }

  const start = h("button.primary", {type: "button", onclick: async () => {
    memory.set("target", target.value);
    if (waiting && !fields.inert) { clearTimeout(waiting); writing = write(); }
    await writing;
    fresh(); // a start breaks off an estimate that is under way
    const folder = (name.value.trim() || "my-spot").replace(/[^A-Za-z0-9_.-]+/g, "-").replace(/^[^A-Za-z0-9]+/, "") || "my-spot";
    await command("start", {spot: yaml.value, name: folder, storage, target_pct: Number(target.value) || 0, iterations: Math.max(1, Math.round(Number(iterations.value)) || 1)});
    estimate();
  }}, "Solve");
  const fields = h("div.side", null,
    h("section.panel", null, h("div.tool-row.top-row", null, h("label", null, "Name ", name), h("label", null, "Pot ", pot), h("label", null, "Stack behind ", stack), h("span", null, h("span.soft", null, "Board "), boardText)), boardBox),
    h("section.panel", null, h("h2.panel-title", null, "Bet sizes", h("span.soft", null, " bets / raises: 50% of the pot, 2.5x the bet, 100c chips, e geometric, a all-in")),
      h("div.scroll", null, h("table.sizes", null, h("thead", null, h("tr", null, ["", "OOP", "IP", "OOP after calling"].map(text => h("th.left", null, text)))), h("tbody", null, STREETS.map(sizesRow)))),
      h("details", null, h("summary.soft", null, "Thresholds and rake"), h("div.extras", null, EXTRA.map(([key, label]) => h("label", null, extras[key], " ", label)),
        h("label", null, rate, " Rake, percent of the pot"), h("label", null, cap, " Rake, at most … chips"))), kept),
    h("div.two", null, paints.map(paint => paint.element)));

  put(view, h("div.wide", null,
    presetForm,
    h("div.columns.form", null,
      fields,
      h("div.side", null,
        h("section.panel", null, h("h2.panel-title", null, "Before you start"), size,
          h("div.tool-row", null, h("label", null, "Stop at ", target, " % of the pot"), h("label", null, "or after ", iterations, " iterations"),
            h("label", null, "Store ", select("Storage", [["auto", "as it fits"], ["f32", "single precision"], ["f16", "half precision"]], storage, value => { storage = value; })), start)),
        job,
        h("section.panel", null, h("h2.panel-title", null, "Spot file"), h("p.soft", null, "The same spot for hedgehog solve. You can write here too."), yaml, unread, comments,
          h("div.tool-row", null, h("button.quiet", {type: "button", onclick: () => copy(yaml.value, "Spot file")}, "Copy"), h("button.quiet", {type: "button", onclick: () => applyYaml(yaml.value)}, "Read into the form")))))));
  board();
  showJob(await get("solve", null, signal));
  follow();
  const from = params.get("from"), before = memory.get("spot", "");
  if (from) {
    const {content} = await get(item(from), null, signal);
    if (await applyYaml(content.spot)) {
      name.value = `${name.value}-2`;
      changed();
    }
    return;
  }
  values.board = (params.get("board") || "").split(" ").filter(Boolean);
  if (asked.line && values.board.length && await fillPreset(false)) return;
  if (!before || !await applyYaml(before)) {
    await fillIn({form: START, board: "Qs Jh 2h", percent: "", comments: false});
    if (!before) changed();
  }
}
