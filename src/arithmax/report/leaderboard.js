"use strict";
{
  // Filters of the leaderboard. Every table is there already: those that are not chosen
  // are hidden, and what is left of a table is added up and sorted anew.
  const form = document.querySelector(".leaderboard .filters");
  const Z2 = 1.959963984540054 ** 2, NOTHING = "—";

  // Wilson's interval, as `arithmax.statistics.success_rate` has it.
  function wilson(solved, seeds) {
    const low = (p) => p * p / (p + Z2 / (2 * seeds)
      + Math.sqrt(Z2 * (p * (1 - p) / seeds + Z2 / (4 * seeds * seeds))));
    return [low(solved / seeds), 1 - low((seeds - solved) / seeds)];
  }

  const percent = (share) => {
    const value = 100 * share, whole = Math.floor(value), rest = value - whole;
    if (Math.abs(rest - 0.5) < 1e-9) return String(whole + whole % 2); // as Python rounds
    return String(Math.round(value));
  };
  const three = (value) => Number(value.toPrecision(3));

  function steps(value) {
    const rounded = three(value);
    for (const [size, letter] of [[1e6, "M"], [1e3, "k"]]) {
      if (rounded >= size) return `${three(rounded / size)}\u00a0${letter}`;
    }
    return String(rounded);
  }

  function small(value) {
    const rounded = three(value);
    if (rounded === 0 || rounded >= 1e-3) return String(rounded);
    const [mantissa, exponent] = rounded.toExponential(2).split("e");
    const raised = String(Number(exponent)).replace(/[-\d]/g,
      (sign) => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(sign)]);
    return `${Number(mantissa)}·10${raised}`;
  }

  function pooled(scores) {
    const sum = (of) => scores.reduce((all, score) => all + of(score), 0);
    const mean = (name) => {
      const known = scores.filter((s) => s.solved && s[name] !== null);
      const runs = known.reduce((all, s) => all + s.solved, 0);
      return runs ? known.reduce((all, s) => all + s.solved * s[name], 0) / runs : null;
    };
    const starts = Math.max(0, ...scores.map((s) => s.seeds));
    return { seeds: sum((s) => s.seeds), solved: sum((s) => s.solved), starts,
      step: mean("step"), sparsity: mean("sparsity") };
  }

  const read = ({ dataset }) => ({
    seeds: Number(dataset.seeds), solved: Number(dataset.solved),
    step: "step" in dataset ? Number(dataset.step) : null,
    sparsity: "sparsity" in dataset ? Number(dataset.sparsity) : null,
  });

  function fill(cell, score) {
    // A seed starts alike on every range, and counts once.
    const share = score.solved / score.seeds;
    const [low, high] = wilson(Math.floor(share * score.starts + 0.5), score.starts);
    const ends = [Math.min(share, low), Math.max(share, high)].map(percent).join("–");
    const interval = document.createElement("small");
    interval.textContent = ends;
    cell.replaceChildren(percent(share), interval);
  }

  class Standing {
    constructor(section) {
      this.section = section;
      this.body = section.querySelector("tbody");
      this.rows = [...this.body.rows];
      Object.assign(this, section.dataset);
    }

    show(chosen, cells) {
      const wanted = this.board === chosen.board && this.criterion === chosen.criterion
        && (!chosen.operation || this.operation === chosen.operation);
      this.section.hidden = !wanted;
      if (!wanted) return;
      const scores = new Map(this.rows.map((row) => [row, this.score(row, chosen, cells)]));
      if (this.operation) {
        for (const cell of this.section.querySelectorAll("[data-column]")) {
          cell.hidden = Boolean(chosen.range) && cell.dataset.column !== chosen.range;
        }
      }
      const key = ({ solved, seeds }) => (seeds ? -solved / seeds : 1);
      const speed = ({ step }) => (step === null ? Infinity : step);
      const order = [...this.rows].sort((a, b) => {
        const [s, t] = [scores.get(a), scores.get(b)];
        return key(s) - key(t) || (speed(s) === speed(t) ? 0 : speed(s) - speed(t));
      });
      order.forEach((row, i) => this.write(row, scores.get(row), i + 1));
      this.body.append(...order);
    }

    // The scores that a row is about: of ranges, or of all ranges of each operation.
    score(row, chosen, cells) {
      const own = [...row.querySelectorAll("td[data-column]")];
      if (this.operation) {
        const seen = own.filter((c) => "seeds" in c.dataset
          && (!chosen.range || c.dataset.column === chosen.range));
        return pooled(seen.map(read));
      }
      const all = [];
      for (const cell of own) {
        const names = [this.board, this.criterion, cell.dataset.column, row.dataset.unit];
        const found = (cells.get(JSON.stringify(names)) || [])
          .filter(([name]) => !chosen.range || name === chosen.range)
          .map(([, score]) => score);
        const score = pooled(found);
        cell.className = score.seeds ? `r${percent(score.solved / score.seeds / 10)}` : "none";
        cell.removeAttribute("title");
        if (score.seeds) fill(cell, score); else cell.textContent = NOTHING;
        all.push(...found);
      }
      return pooled(all);
    }

    write(row, score, place) {
      row.hidden = !score.seeds;
      if (!score.seeds) return;
      row.querySelector(".place").textContent = place;
      fill(row.querySelector(".total"), score);
      row.querySelector(".step").textContent = score.step === null ? NOTHING : steps(score.step);
      row.querySelector(".sparsity").textContent =
        score.sparsity === null ? NOTHING : small(score.sparsity);
    }
  }

  // Every score of a range: by board, criterion, operation and unit.
  function gather(standings) {
    const cells = new Map();
    for (const { board, criterion, operation, rows } of standings) {
      if (!operation) continue;
      for (const row of rows) {
        const key = JSON.stringify([board, criterion, operation, row.dataset.unit]);
        cells.set(key, [...row.querySelectorAll("td[data-seeds]")]
          .map((cell) => [cell.dataset.column, read(cell)]));
      }
    }
    return cells;
  }

  function leads(body) {
    const rows = [...body.rows].filter((row) => !row.hidden);
    if (!rows.length) return "No unit has runs of this.";
    const rate = (row) => row.querySelector(".total").firstChild.data;
    const best = rows.filter((row) => rate(row) === rate(rows[0]));
    const names = best.map((row) => row.dataset.unit), last = names.pop();
    const listed = names.length ? `${names.join(", ")} and ${last} lead` : `${last} leads`;
    return `${listed} with ${rate(rows[0])} %.`;
  }

  if (form) {
    const sections = document.querySelectorAll(".leaderboard .standing");
    const standings = [...sections].map((section) => new Standing(section));
    const cells = gather(standings), said = document.querySelector(".leaderboard .said");
    const show = () => {
      const chosen = Object.fromEntries(new FormData(form));
      standings.forEach((standing) => standing.show(chosen, cells));
      const first = standings.find(({ section }) => !section.hidden);
      said.textContent = first ? leads(first.body) : "There are no runs of this.";
    };
    form.addEventListener("change", show);
    form.addEventListener("submit", (event) => event.preventDefault());
    form.hidden = said.hidden = false;
    show();
  }
}
