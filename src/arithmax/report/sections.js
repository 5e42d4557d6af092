"use strict";

// One section at a time: the one that the address names, or the first. Without this
// script all of them are shown, one after the other.
const sections = [...document.querySelectorAll("main section[id]")];
const links = [...document.querySelectorAll("nav a")];
const places = new Map(); // how far each section was scrolled when it was left
let current = null, clicked = false;

function goal() {
  try {
    return document.getElementById(decodeURIComponent(location.hash.slice(1)));
  } catch {
    return null; // an address that is none
  }
}

function mark(chosen) {
  for (const link of links) {
    if (link.hash === `#${chosen.id}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  for (const list of document.querySelectorAll("nav details")) list.open = false;
}

// What is folded opens where the address leads into it.
function unfold(place) {
  for (let box = place; box; box = box.parentElement) {
    if (box.tagName === "DETAILS") box.open = true;
  }
}

function show() {
  const place = goal(), within = place && place.closest("main section[id]");
  if (place && !within && current) return; // such as the way around the menu
  const chosen = within || sections[0], other = chosen !== current;
  for (const section of sections) section.hidden = section !== chosen;
  mark(chosen);
  if (within && place !== chosen) {
    unfold(place);
    place.scrollIntoView();
  } else if (other) {
    scrollTo(0, clicked ? 0 : places.get(chosen) || 0);
    if (clicked) focusOn(chosen);
  }
  current = chosen;
  clicked = false;
}

function focusOn(section) {
  const heading = section.querySelector("h2");
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
}

document.addEventListener("click", (event) => {
  if (!event.target.closest("a[href^='#']")) return;
  clicked = true;
  places.set(current, scrollY);
});
addEventListener("hashchange", show);
if (sections.length) show();
