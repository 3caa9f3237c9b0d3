const data = JSON.parse(document.getElementById("data").textContent);
const NAMES = data.kinds.flatMap(([, names]) => names);
const PAGE = 150;
const SUITS = {s: "♠", h: "♥", d: "♦", c: "♣"};
const SVG = "http://www.w3.org/2000/svg";
const byId = id => document.getElementById(id);
const state = {line: 0, decision: data.lines[0].decisions.length > 1 ? 1 : 0, sort: "", descending: true, chosen: new Set(), ranks: "", asked: data.lines[0].asked !== null, shown: PAGE};
document.body.classList.add("on");

const make = (tag, properties = {}, ...children) => {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
};
const draw = (tag, attributes, ...children) => {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
};
const fixed = (x, decimals) => x === null || Number.isNaN(x) ? "–" : x.toLocaleString("en", {minimumFractionDigits: decimals, maximumFractionDigits: decimals}).replace("-", "−");
const signed = (x, decimals) => x === null || Number.isNaN(x) ? "–" : (x > 0 && Number(x.toFixed(decimals)) !== 0 ? "+" : "") + fixed(Number(x.toFixed(decimals)) === 0 ? 0 : x, decimals);

const line = () => data.lines[state.line];
const decision = () => line().decisions[state.decision];

/* Columns: [key, heading, decimals, value of a flop, value of a group of flops, style]. */
const columns = () => {
  const here = line(), at = decision(), found = [];
  const mean = (places, value) => {
    let sum = 0, weight = 0;
    for (const i of places) if (value(i) !== null) { sum += here.weight[i] * value(i); weight += here.weight[i]; }
    return weight ? sum / weight : null;
  };
  const add = (key, heading, decimals, value, average, style) => found.push({key, heading, decimals, value, average: average || (places => mean(places, value)), style});
  add("weight", "weight %", 3, i => here.weight[i] / 1e6, places => places.reduce((sum, i) => sum + here.weight[i], 0) / 1e6);
  add("equity", "equity", 1, i => here.equity[i] === null ? null : here.equity[i] / 100);
  if (here.ev) {
    add("ev", "EV", 1, i => here.ev[i] === null ? null : here.ev[i] / 100);
    if (here.error && here.error.some(x => x)) {
      add("error", "±", 1, i => here.error[i] === null ? null : here.error[i] / 100, places => {
        let sum = 0, weight = 0;
        for (const i of places) { sum += (here.weight[i] * (here.error[i] ?? 0) / 100) ** 2; weight += here.weight[i]; }
        return weight ? Math.sqrt(sum) / weight : null;
      });
    }
    const realised = (ev, equity) => ev === null || !equity ? null : 100 * ev / equity;
    const value = key => found.find(column => column.key === key);
    add("realised", "EV/equity %", 1, i => realised(value("ev").value(i), value("equity").value(i)),
      places => realised(value("ev").average(places), value("equity").average(places)));
  }
  if (here.exploitability) add("exploitability", "exploitable %", 2, i => here.exploitability[i] === null ? null : here.exploitability[i] / 1000);
  add("reach", "reached %", 1, i => at.reach[i] / 1000);
  at.actions.forEach((action, number) => {
    const share = at.shares[number];
    add("a" + number, action, 1, i => share === null || share[i] === null ? null : share[i] / 10, places => {
      let sum = 0, weight = 0;
      for (const i of places) if (share !== null && share[i] !== null) { sum += here.weight[i] * at.reach[i] * share[i]; weight += here.weight[i] * at.reach[i]; }
      return weight ? sum / weight / 10 : null;
    }, at.styles[number]);
  });
  return found;
};

const everything = () => line().at.map((_, i) => i);
const chosenFlops = () => {
  const here = line();
  const wanted = data.kinds.map(([, names]) => names.reduce((mask, name) => state.chosen.has(name) ? mask | 1 << NAMES.indexOf(name) : mask, 0)).filter(mask => mask);
  const ranks = [...state.ranks.toUpperCase().replace(/10/g, "T")].filter(letter => "23456789TJQKA".includes(letter));
  const pool = state.asked && here.asked !== null ? here.asked : everything();
  return pool.filter(i => {
    const textures = data.textures[here.at[i]];
    if (!wanted.every(mask => mask & textures)) return false;
    const left = [...data.flops[here.at[i]]].filter((_, place) => place % 2 === 0);
    return ranks.every(letter => { const place = left.indexOf(letter); if (place >= 0) left.splice(place, 1); return place >= 0; });
  });
};

const cards = flop => {
  const cell = make("th", {className: "cards", scope: "row"});
  for (const [rank, suit] of flop.match(/../g)) cell.append(make("span", {className: suit, textContent: rank + SUITS[suit]}));
  return cell;
};
const bar = shares => {
  const picture = draw("svg", {viewBox: "0 0 100 10", preserveAspectRatio: "none", role: "img"});
  const words = [];
  let left = 0;
  decision().actions.forEach((action, number) => {
    const share = shares[number];
    words.push(`${action} ${fixed(share, 1)} %`);
    if (share > 0.05) picture.append(draw("rect", {class: decision().styles[number], x: left.toFixed(2), width: share.toFixed(2), height: 10}));
    left += share || 0;
  });
  picture.prepend(draw("title", {}, words.join(", ")));
  return make("td", {className: "bar"}, picture);
};

const sortFlops = (places, found) => {
  const column = found.find(each => each.key === state.sort);
  if (!column) return places;
  const sign = state.descending ? -1 : 1;
  const value = i => column.value(i);
  return [...places].sort((a, b) => {
    const x = value(a), y = value(b);
    if (x === null || y === null) return (x === null) - (y === null) || a - b;
    return sign * (x - y) || a - b;
  });
};

const showTable = (places, found) => {
  const table = byId("table"), head = make("tr"), body = make("tbody");
  const heading = (key, text, style) => {
    const cell = make("th", {scope: "col"});
    const button = make("button", {type: "button"});
    if (style) button.append(Object.assign(make("span", {className: "swatch"}), {style: `background: var(--${style})`}));
    button.append(text);
    button.addEventListener("click", () => {
      if (state.sort === key) state.descending = !state.descending;
      else { state.sort = key; state.descending = key !== ""; }
      refresh();
    });
    if (state.sort === key) cell.setAttribute("aria-sort", state.descending ? "descending" : "ascending");
    cell.append(button);
    return cell;
  };
  head.append(heading("", "flop"), make("th"), ...found.map(column => heading(column.key, column.heading, column.style)));
  table.tHead.replaceChildren(head);
  const actions = found.filter(column => column.key[0] === "a" && column.style);
  const group = (name, members) => {
    const row = make("tr", {className: "pinned"}, make("th", {scope: "row", textContent: name}), bar(actions.map(column => column.average(members))));
    for (const column of found) row.append(make("td", {textContent: fixed(column.average(members), column.decimals === 3 ? 1 : column.decimals)}));
    body.append(row);
  };
  const all = everything();
  group(`all ${all.length.toLocaleString("en")}`, all);
  if (places.length < all.length) {
    group(`chosen ${places.length.toLocaleString("en")}`, places);
    const row = make("tr", {className: "less"}, make("th", {scope: "row", textContent: "less all"}), make("td"));
    for (const column of found) {
      const text = ["weight", "error"].includes(column.key) || !places.length ? "" : signed(column.average(places) - column.average(all), column.decimals);
      row.append(make("td", {textContent: text}));
    }
    body.append(row);
  }
  for (const i of places.slice(0, state.shown)) {
    const row = make("tr", {}, cards(data.flops[line().at[i]]), bar(actions.map(column => column.value(i))));
    for (const column of found) row.append(make("td", {textContent: fixed(column.value(i), column.decimals)}));
    body.append(row);
  }
  table.tBodies[0].replaceWith(body);
  const more = byId("more");
  more.hidden = places.length <= state.shown;
  more.textContent = `Show all ${places.length.toLocaleString("en")} flops`;
};

const legend = entries => entries.map(([text, colour]) => make("span", {className: "legend"}, Object.assign(make("span", {className: "swatch"}), {style: `background: var(--${colour})`}), text));

/* A column for every chosen flop, as wide as its weight, from the flop with the most checks or folds to the fewest. */
const showProfile = (places, found) => {
  const actions = found.filter(column => column.style), here = line();
  const order = places.filter(i => actions[0].value(i) !== null).sort((a, b) => actions[0].value(b) - actions[0].value(a));
  const total = order.reduce((sum, i) => sum + here.weight[i], 0);
  const picture = byId("profile"), left = 34, right = 596, top = 6, bottom = 218;
  const parts = [];
  if (total) {
    let below = order.map(() => 0);
    for (const column of actions) {
      const above = below.map((value, k) => value + (column.value(order[k]) || 0));
      let forth = "", back = "", x = left;
      order.forEach((i, k) => {
        const next = x + (right - left) * here.weight[i] / total;
        const y = value => (top + (bottom - top) * value / 100).toFixed(1);
        forth += `${forth ? "L" : "M"}${x.toFixed(1)} ${y(below[k])}L${next.toFixed(1)} ${y(below[k])}`;
        back = `L${next.toFixed(1)} ${y(above[k])}L${x.toFixed(1)} ${y(above[k])}` + back;
        x = next;
      });
      parts.push(draw("path", {class: column.style, d: forth + back + "Z"}));
      below = above;
    }
  }
  for (const share of [0, 50, 100]) parts.push(draw("text", {class: "label", x: left - 4, y: top + (bottom - top) * share / 100 + 4, "text-anchor": "end"}, `${share}`));
  parts.push(draw("text", {class: "label", x: left, y: 234}, "chosen flops, as wide as they are often dealt"));
  picture.replaceChildren(...parts);
  byId("profile-text").replaceChildren(`${decision().player} at ${line().name}/${decision().name}, % from the top: `, ...legend(decision().actions.map((action, k) => [action, decision().styles[k]])));
};

const GROUPS = [["rainbow", "first"], ["two-tone", "second"], ["monotone", "third"]];
const ticks = (low, high) => {
  const rough = (high - low) / 4, power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find(factor => factor * power >= rough), found = [];
  for (let value = Math.ceil(low / step) * step; value <= high; value += step) found.push(value);
  return [found, Math.max(0, -Math.floor(Math.log10(step) + 1e-9))];
};
const showScatter = (places, found) => {
  const value = key => found.find(column => column.key === key);
  const x = value("equity"), y = value("ev") || value("a0"), picture = byId("scatter"), parts = [];
  const all = everything().filter(i => x.value(i) !== null && y.value(i) !== null);
  if (!all.length) { picture.replaceChildren(); return; }
  const limits = column => { const found = all.map(column.value); const low = Math.min(...found), high = Math.max(...found); return [low - (high - low || 1) * .04, high + (high - low || 1) * .04]; };
  const [x0, x1] = limits(x), [y0, y1] = limits(y), left = 40, right = 594, top = 6, bottom = 204;
  const across = v => left + (right - left) * (v - x0) / (x1 - x0), up = v => bottom - (bottom - top) * (v - y0) / (y1 - y0);
  parts.push(draw("path", {class: "axis", d: `M${left} ${top}V${bottom}H${right}`}));
  const [xTicks, xDecimals] = ticks(x0, x1), [yTicks, yDecimals] = ticks(y0, y1);
  for (const tick of xTicks) parts.push(draw("text", {class: "label", x: across(tick), y: bottom + 14, "text-anchor": "middle"}, fixed(tick, xDecimals)));
  for (const tick of yTicks) parts.push(draw("text", {class: "label", x: left - 5, y: up(tick) + 4, "text-anchor": "end"}, fixed(tick, yDecimals)));
  parts.push(draw("text", {class: "label", x: right, y: 234, "text-anchor": "end"}, "equity of OOP, %"));
  parts.push(draw("text", {class: "label", x: left + 6, y: top + 10}, y.key === "ev" ? "EV of OOP, % of the pot" : `${y.heading}, %`));
  const inside = new Set(places);
  const path = members => members.map(i => `M${across(x.value(i)).toFixed(1)} ${up(y.value(i)).toFixed(1)}h0`).join("");
  const outside = all.filter(i => !inside.has(i));
  parts.push(draw("path", {class: "dots", d: path(outside), style: "stroke: var(--line)"}));
  for (const [name, colour] of GROUPS) {
    const bit = 1 << NAMES.indexOf(name);
    parts.push(draw("path", {class: "dots", d: path(all.filter(i => inside.has(i) && data.textures[line().at[i]] & bit)), style: `stroke: var(--${colour})`}));
  }
  picture.replaceChildren(...parts);
  byId("scatter-text").replaceChildren("One dot for each flop: ", ...legend(GROUPS));
};

const showControls = () => {
  const controls = byId("controls"), parts = [];
  const chips = (title, entries) => {
    const group = make("div", {className: "chips"});
    for (const [text, pressed, act] of entries) {
      const button = make("button", {type: "button", textContent: text});
      button.setAttribute("aria-pressed", String(pressed));
      button.addEventListener("click", () => { act(); state.shown = PAGE; refresh(); });
      group.append(button);
    }
    parts.push(make("span", {textContent: title}), group);
  };
  chips("line", data.lines.map((each, number) => [each.name, number === state.line, () => { state.line = number; state.decision = Math.min(state.decision, each.decisions.length - 1); }]));
  chips("decision", line().decisions.map((each, number) => [`${each.name} (${each.player})`, number === state.decision, () => { state.decision = number; }]));
  if (line().asked !== null) chips("flops", [[data.asked, state.asked, () => { state.asked = !state.asked; }]]);
  for (const [kind, names] of data.kinds) {
    chips(kind, names.map(name => [name, state.chosen.has(name), () => { if (!state.chosen.delete(name)) state.chosen.add(name); }]));
  }
  const input = make("input", {type: "search", value: state.ranks, placeholder: "such as AK or 77"});
  input.setAttribute("aria-label", "ranks on the flop");
  input.addEventListener("input", () => { state.ranks = input.value; state.shown = PAGE; refresh(false); });
  parts.push(make("span", {textContent: "ranks"}), make("div", {}, input));
  controls.replaceChildren(...parts);
};

const refresh = (withControls = true) => {
  const found = columns(), places = sortFlops(chosenFlops(), found);
  if (withControls) {
    const number = [...byId("controls").querySelectorAll("button")].indexOf(document.activeElement);
    const sorted = byId("table").tHead.contains(document.activeElement) ? [...byId("table").tHead.querySelectorAll("button")].indexOf(document.activeElement) : -1;
    showControls();
    showTable(places, found);
    if (number >= 0) byId("controls").querySelectorAll("button")[number]?.focus();
    if (sorted >= 0) byId("table").tHead.querySelectorAll("button")[sorted]?.focus();
  } else showTable(places, found);
  showProfile(places, found);
  showScatter(places, found);
};
byId("more").addEventListener("click", () => { state.shown = Infinity; refresh(false); });
refresh();
