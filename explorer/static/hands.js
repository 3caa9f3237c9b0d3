// @ts-check
/** The hands of a place: numbers per combo, and their averages per cell of the grid. */

import {CELLS, CELL_OF} from "./text.js";

/**
 * One player's hands at a place, with the equities as soon as they are known.
 * Averages are weighted by the pairs of hands that can meet, as those of hedgehog query.
 */
export class Hands {
  constructor(place, player, equity) {
    const own = place.players[player];
    this.place = place;
    this.player = player;
    this.acting = place.player === player;
    this.combos = own.combos;
    this.weight = own.weight;
    this.met = own.met || own.combos.map(() => 1);
    this.ev = own.ev && own.ev.some(x => x !== null) ? own.ev : null;
    this.made = own.made || null;
    this.draws = own.draws || null;
    this.removes = own.removes || null;
    this.equity = equity ? equity[player] : null;
    this.strategy = this.acting ? place.strategy : null;
    this.figures = this.acting && place.figures ? place.figures : null;
    this.actionEvs = this.acting ? place.action_evs : null;
    this.byCell = CELLS.map(() => []);
    this.combos.forEach((combo, i) => this.byCell[CELL_OF[combo]].push(i));
  }

  /**
   * Returns the average row of some hands, given by their places in the list; null if there are none. Hands that meet
   * nobody have no numbers. The EV of an action is the average over the hands that take it, so that the EVs of the
   * actions make the EV of the row.
   */
  average(places) {
    if (!places.length) return null;
    const weights = places.map(i => this.weight[i] * this.met[i]);
    const total = weights.reduce((a, b) => a + b, 0);
    const mean = (values, of = weights) => {
      let sum = 0, all = 0;
      places.forEach((i, k) => {
        if (of[k] > 0 && values[i] !== null) { sum += of[k] * values[i]; all += of[k]; }
      });
      return all > 0 ? sum / all : null;
    };
    const taking = action => places.length === 1 ? weights : places.map((i, k) => weights[k] * this.strategy[action][i]);
    return {
      combos: places.length,
      weight: places.reduce((sum, i) => sum + this.weight[i], 0),
      ev: this.ev ? mean(this.ev) : null,
      equity: this.equity ? mean(this.equity) : null,
      strategy: this.strategy && total > 0 ? this.strategy.map(row => mean(row)) : null,
      figures: this.figures && Object.fromEntries(Object.entries(this.figures).map(([name, values]) => [name, mean(values)])),
      actionEvs: this.actionEvs ? this.actionEvs.map((row, action) => mean(row, taking(action))) : null,
    };
  }

  /** Averages of all cells, null where no hand is held. */
  cells(chosen) {
    return this.byCell.map(places => this.average(chosen ? places.filter(chosen) : places));
  }
}
