// @ts-check
/** Small line charts in SVG. */

import {h, svg} from "./dom.js";

const WIDTH = 640, HEIGHT = 220, LEFT = 62, RIGHT = 12, TOP = 10, BOTTOM = 34;

/** Returns round numbers between two values. */
function ticks(low, high, count) {
  const raw = (high - low) / count || 1, power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map(x => x * power).find(x => x >= raw) || raw;
  const found = [];
  for (let x = Math.ceil(low / step) * step; x <= high + step / 1e6; x += step) found.push(Math.abs(x) < step / 1e6 ? 0 : x);
  return found;
}

/**
 * Returns a chart of one or more lines.
 * @param {Array<{name: string, points: Array<[number, number]>, band?: Array<[number, number, number]>}>} series
 * @param {{x: string, y: string, label: string, log?: boolean, target?: number|null, names?: boolean}} options
 */
export function lineChart(series, options) {
  const flat = series.flatMap(each => each.points), xs = flat.map(point => point[0]);
  const scale = y => (options.log ? Math.log10(Math.max(y, 1e-6)) : y);
  const ys = [...flat.map(point => scale(point[1])), ...(options.target ? [scale(options.target)] : [])];
  let [x0, x1, y0, y1] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  if (x1 === x0) x1 = x0 + 1;
  if (y1 - y0 < 1e-9) { y0 -= 1; y1 += 1; }
  const room = 0.06 * (y1 - y0);
  y0 -= room;
  y1 += room;
  const px = x => LEFT + ((x - x0) / (x1 - x0)) * (WIDTH - LEFT - RIGHT);
  const py = y => TOP + (1 - (scale(y) - y0) / (y1 - y0)) * (HEIGHT - TOP - BOTTOM);
  const path = points => points.map(([x, y], i) => `${i ? "L" : "M"}${px(x).toFixed(1)} ${py(y).toFixed(1)}`).join("");
  const number = y => (Math.abs(y) >= 1000 ? y.toLocaleString("en", {maximumFractionDigits: 0}) : String(Number(y.toPrecision(3))));
  const yTicks = options.log ? ticks(y0, y1, 4).map(y => 10 ** y) : ticks(y0, y1, 4);
  const picture = svg("svg", {viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "chart", role: "img", "aria-label": options.label},
    yTicks.map(y => [svg("line", {x1: LEFT, x2: WIDTH - RIGHT, y1: py(y), y2: py(y), class: "axis"}),
      svg("text", {x: LEFT - 6, y: py(y) + 4, class: "tick end"}, number(y))]),
    ticks(x0, x1, 5).map(x => svg("text", {x: px(x), y: HEIGHT - BOTTOM + 16, class: "tick middle"}, number(x))),
    svg("text", {x: WIDTH - RIGHT, y: HEIGHT - 4, class: "tick end"}, options.x),
    svg("text", {x: 2, y: TOP + 2, class: "tick"}, options.y),
    options.target ? svg("line", {x1: LEFT, x2: WIDTH - RIGHT, y1: py(options.target), y2: py(options.target), class: "target"}) : null,
    series.map((each, i) => svg("path", {d: path(each.points), class: `curve curve-${i % 6}`}, svg("title", null, each.name))));
  return h("figure.chart-box", null, picture, series.length > 1 ? h("figcaption.legend", null, series.map((each, i) =>
    h("span", null, h(`i.swatch.curve-fill-${i % 6}`), each.name))) : null);
}
