"use strict";

// Colours of text and grid are those of the page, so that plots follow its theme.
const ink = (name) =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function template() {
  const axis = {
    gridcolor: ink("--lines"), zerolinecolor: ink("--lines"), linecolor: ink("--faint"),
  };
  const space = { ...axis, color: ink("--ink"), showbackground: false };
  const modebar = {
    color: ink("--faint"), activecolor: ink("--ink"), bgcolor: "rgba(0,0,0,0)",
  };
  return {
    layout: {
      font: { color: ink("--ink") }, xaxis: axis, yaxis: axis, modebar,
      scene: { xaxis: space, yaxis: space, zaxis: space },
    },
  };
}

const touch = matchMedia("(pointer: coarse)").matches;
// Plotly's own choice of buttons has one that sends the data to its maker.
const config = (solid) => ({
  responsive: true, displaylogo: false, showSendToCloud: false,
  displayModeBar: touch ? false : "hover",
  modeBarButtons: [["toImage", solid ? "resetCameraDefault3d" : "resetScale2d"]],
});

class Drawing {
  constructor(figure) {
    this.figure = figure;
    this.box = figure.querySelector(".drawing");
    this.solid = "solid" in this.box.dataset;
    this.drawn = false;
    const menu = figure.querySelector("select");
    if (menu) menu.addEventListener("change", () => this.choose(JSON.parse(menu.value)));
    if (this.solid) this.box.addEventListener("keydown", (event) => this.turn(event));
  }

  // Read when it is first needed: a report has many plots that are never looked at.
  get spec() {
    this.read ??= JSON.parse(this.figure.querySelector("script").textContent);
    return this.read;
  }

  get hidden() { return this.box.offsetParent === null; }

  draw() {
    this.seen = true;
    if (this.drawn) this.refresh();
    if (this.drawn) return;
    this.drawn = true;
    const layout = { ...this.spec.layout, template: template() };
    // A finger that moves over a plot scrolls the page.
    if (touch && !this.solid) layout.dragmode = false;
    if (innerWidth < 600) this.narrow(layout);
    if (layout.width) layout.width = Math.min(layout.width, this.box.clientWidth);
    this.busy = Plotly.newPlot(this.box, this.spec.data, layout, config(this.solid));
  }

  // On a phone text is smaller, and a surface is looked at from further away.
  narrow(layout) {
    layout.font = { ...layout.font, size: 11 };
    if (!this.solid || this.near) return;
    this.near = true;
    const { x, y, z } = layout.scene.camera.eye;
    layout.scene.camera.eye = { x: 1.4 * x, y: 1.4 * y, z: 1.4 * z };
  }

  // Browsers keep few WebGL contexts alive: a surface out of sight gives its own back.
  async leave() {
    this.seen = false;
    if (!this.drawn || !this.solid) return;
    await this.busy; // what is still being drawn cannot be taken away
    if (this.seen || !this.drawn) return;
    const scene = this.box.layout.scene;
    if (scene.camera) this.spec.layout.scene.camera = scene.camera;
    Plotly.purge(this.box);
    this.drawn = false;
  }

  choose(visible) {
    this.spec.data.forEach((trace, i) => { trace.visible = visible[i]; });
    if (this.drawn) this.busy = Plotly.restyle(this.box, { visible });
  }

  recolour() {
    this.stale = this.drawn && this.hidden; // it has no size now: see `refresh`
    if (this.drawn && !this.hidden) {
      this.busy = Plotly.relayout(this.box, { template: template() });
    }
  }

  // Theme or window may have changed while it was in a section that was not shown.
  refresh() {
    if (this.stale) this.recolour();
    const { width, autosize } = this.box._fullLayout || {};
    if (autosize && width !== this.box.clientWidth) {
      this.busy = Plotly.Plots.resize(this.box);
    }
  }

  turn(event) {
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1],
      ArrowDown: [0, -1] }[event.key];
    if (!step || !this.drawn) return;
    event.preventDefault();
    const camera = this.box.layout.scene.camera || {};
    const { x, y, z } = camera.eye || { x: 1.25, y: 1.25, z: 1.25 };
    const angle = Math.atan2(y, x) + step[0] * Math.PI / 12, flat = Math.hypot(x, y);
    const eye = { x: flat * Math.cos(angle), y: flat * Math.sin(angle),
      z: z + step[1] * 0.2 };
    this.busy = Plotly.relayout(this.box, { "scene.camera.eye": eye });
  }
}

const drawings = [...document.querySelectorAll("figure.plot")].map((f) => new Drawing(f));
// All that can be seen by scrolling: not those of sections that are not shown.
const drawAll = () => drawings.forEach((drawing) => {
  if (!drawing.hidden) drawing.draw();
});

if ("IntersectionObserver" in window) {
  const by = new Map(drawings.map((drawing) => [drawing.figure, drawing]));
  const watch = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      if (isIntersecting) by.get(target).draw(); else by.get(target).leave();
    }
  }, { rootMargin: "400px 0px" });
  drawings.forEach((drawing) => watch.observe(drawing.figure));
} else {
  drawAll();
}
addEventListener("beforeprint", drawAll);

const root = document.documentElement, button = document.getElementById("theme_");
const system = matchMedia("(prefers-color-scheme: dark)");
const dark = () => root.dataset.theme ? root.dataset.theme === "dark" : system.matches;

function recolour() {
  button.textContent = dark() ? "Light theme" : "Dark theme";
  drawings.forEach((drawing) => drawing.recolour());
}

button.addEventListener("click", () => {
  root.dataset.theme = dark() ? "light" : "dark";
  recolour();
});
system.addEventListener("change", recolour);
recolour();
