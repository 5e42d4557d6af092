"use strict";
{
  // Filters of the leaderboard. Every text is there already: tables and columns that are
  // not chosen are hidden, and rows are put in the order that is given for each range.
  const form = document.querySelector(".leaderboard .filters");
  const OWN = [".place", ".total", ".step", ".sparsity"]; // what a choice of range changes

  const key = (...names) => JSON.stringify(names);

  function copy(cell, from) {
    cell.className = from ? from.className : "none";
    cell.title = from ? from.title : "";
    cell.innerHTML = from ? from.innerHTML : "—";
  }

  class Row {
    constructor(element, { board, criterion, operation }) {
      this.element = element;
      this.names = [board, criterion, element.dataset.unit];
      this.fields = OWN.map((name) => element.querySelector(name));
      this.whole = this.fields.map((field) => field.innerHTML);
      this.ranges = new Map([...element.querySelectorAll("td[data-place]")]
        .map((cell) => [cell.dataset.range, cell]));
      this.operations = operation ? []
        : [...element.querySelectorAll("td[data-operation]")].map((cell) => [cell, cell.cloneNode(true)]);
    }

    show(range, cells) {
      const own = this.ranges.get(range);
      this.element.hidden = Boolean(range) && !own;
      if (this.element.hidden) return;
      const texts = own
        ? [own.dataset.place, own.innerHTML, own.dataset.step, own.dataset.sparsity] : this.whole;
      this.fields.forEach((field, i) => { field.innerHTML = texts[i]; });
      for (const [cell, whole] of this.operations) {
        copy(cell, range ? cells.get(key(...this.names, cell.dataset.operation, range)) : whole);
      }
    }
  }

  class Standing {
    constructor(section) {
      this.section = section;
      this.names = section.dataset;
      const rows = section.querySelectorAll("tbody tr[data-unit]");
      this.rows = [...rows].map((row) => new Row(row, this.names));
      this.groups = [...section.querySelectorAll("tbody")];
      this.elements = new Map(this.rows.map(({ element }) => [element.dataset.unit, element]));
      this.known = JSON.parse(section.querySelector("script").textContent); // by range
    }

    show(chosen, cells) {
      const { board, criterion, operation } = this.names;
      this.section.hidden = board !== chosen.board || criterion !== chosen.criterion
        || Boolean(chosen.operation) && operation !== chosen.operation;
      if (this.section.hidden) return;
      this.rows.forEach((row) => row.show(chosen.range, cells));
      if (operation) {
        for (const cell of this.section.querySelectorAll("[data-range]")) {
          cell.hidden = Boolean(chosen.range) && cell.dataset.range !== chosen.range;
        }
      }
      const { order } = this.known[chosen.range] || { order: [] };
      // Units stand below the heading of those that can do the same.
      for (const unit of order) {
        const row = this.elements.get(unit);
        row.parentNode.append(row);
      }
      for (const group of this.groups) {
        group.hidden = !group.querySelector("tr[data-unit]:not([hidden])");
      }
    }
  }

  // The cell of every range: by board, criterion, unit, operation and range.
  function gather(standings) {
    const cells = new Map();
    for (const { names, rows } of standings) {
      for (const row of names.operation ? rows : []) {
        for (const [range, cell] of row.ranges) {
          cells.set(key(...row.names, names.operation, range), cell);
        }
      }
    }
    return cells;
  }

  if (form) {
    const sections = document.querySelectorAll(".leaderboard .standing");
    const standings = [...sections].map((section) => new Standing(section));
    const cells = gather(standings), said = document.querySelector(".leaderboard .said");
    const show = () => {
      const chosen = Object.fromEntries(new FormData(form));
      standings.forEach((standing) => standing.show(chosen, cells));
      const first = standings.find(({ section }) => !section.hidden);
      const known = first && first.known[chosen.range];
      said.textContent = known ? known.leads : "There are no runs that tell this.";
    };
    form.addEventListener("change", show);
    form.addEventListener("submit", (event) => event.preventDefault());
    form.hidden = said.hidden = false;
    show();
  }
}
