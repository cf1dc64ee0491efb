// The pictures: each takes the model and what is chosen, and returns an element.
"use strict";

const SMALL_BLOCK = 64, MOST_VALUES = 4;

function make(tag, attributes = {}, ...children) {
  const element = tag.startsWith("svg:")
    ? document.createElementNS("http://www.w3.org/2000/svg", tag.slice(4))
    : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === undefined) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== undefined && child !== null));
  return element;
}

function section(title, ...children) {
  return make("section", {}, make("h3", {}, title), ...children);
}

// What stands between backticks is code.
function prose(text) {
  return text.split("`").map((part, at) => at % 2 ? make("code", {}, part) : part);
}

// --- the source, with what each line left in the chosen thread --------------------------------

// A line that is longer than its column goes on below, further in.
function sourceRows(model) {
  return model.source.map((text, at) => {
    const further = text.length - text.trimStart().length + 4;
    return make("div", { class: "row", "data-line": at + 1 },
      make("span", { class: "number" }, String(at + 1)),
      make("span", { class: "code", style: `padding-left: ${further}ch; text-indent: -${further}ch` }, text || " "),
      make("span", { class: "left" }));
  });
}

// The comment above a kernel is not what is explained.
function firstShown(model) {
  return Math.max(0, model.source.findIndex((text) => /__global__|__device__|^\s*#|^\s*template/.test(text)));
}

function showSource(rows, model, chosen) {
  const frame = model.frames[chosen.at];
  const wrong = new Set((model.marked.get(chosen.at) || []).map(() => frame.line));
  rows.forEach((row, index) => {
    const line = index + 1, current = line === frame.line;
    row.classList.toggle("current", current);
    row.classList.toggle("wrong", wrong.has(line));
    if (current) row.setAttribute("aria-current", "step");
    else row.removeAttribute("aria-current");
    const { values, fresh } = besideLine(model, line, chosen.thread, chosen.at);
    row.lastChild.replaceChildren(...shortened(values).map(([text, full]) =>
      make("span", { class: "known", title: full }, text)));
    row.lastChild.classList.toggle("fresh", fresh);
  });
  const current = rows[frame.line - 1];
  if (current) keepInView(current.parentElement, current);
}

function shortened(values) {
  const texts = values.map((one) => [`${one.name} = ${one.text}`, `${one.name} = ${one.full}`]);
  if (texts.length <= MOST_VALUES) return texts;
  const more = texts.slice(MOST_VALUES);
  return [...texts.slice(0, MOST_VALUES), [`and ${more.length} more`, more.map(([, full]) => full).join(", ")]];
}

// `box` is what the row's offset counts from: it has a position of its own.
function keepInView(box, row) {
  const above = row.offsetTop;
  if (above < box.scrollTop + 20 || above > box.scrollTop + box.clientHeight - 60) {
    box.scrollTop = above - box.clientHeight / 2;
  }
}

// --- the lanes of each warp -------------------------------------------------------------------

// The warps of a large block are folded but for the chosen one and those in which something went
// wrong; folded ones that do the same are one row.
function lanes(model, chosen, choose) {
  const first = chosen.slot * model.stride, rows = [];
  const marks = (model.marked.get(chosen.at) || []).filter((mark) => mark.slot === chosen.slot);
  const open = new Set([chosen.warp, ...marks.flatMap((mark) => [mark.thread, mark.other_thread])
    .filter((thread) => thread !== null).map((thread) => Math.floor(thread / WARP))]);
  for (let warp = 0; warp < model.warps; warp++) {
    const count = Math.min(WARP, model.threads - warp * WARP);
    const threads = Array.from({ length: count }, (_, lane) => first + warp * WARP + lane);
    const states = threads.map((thread) => model.stateOf(thread, chosen.at)), said = tally(states);
    const folded = model.threads > SMALL_BLOCK && !open.has(warp), before = rows[rows.length - 1];
    if (folded && before && before.folded && before.said === said) before.last = warp;
    else rows.push({ warp, last: warp, threads, states, said, folded });
  }
  return section(`Threads of block ${model.blockName(chosen.slot)}`,
    make("div", { class: "warps", tabindex: rows.length > 8 ? "0" : undefined,
      role: "group", "aria-label": "warps" }, ...rows.map((row) => warpRow(model, row, chosen, choose))), key());
}

function warpRow(model, { warp, last, threads, states, said, folded }, chosen, choose) {
  const name = last > warp ? `warps ${warp}-${last}` : `warp ${warp}`;
  const each = last > warp ? `${said} in each` : said;
  return make("div", { class: `warp${warp === chosen.warp ? " chosen" : ""}`, title: `${name}: ${each}` },
    make("button", { type: "button", class: "label", "aria-label": `${name}: ${each}`,
      "aria-pressed": String(warp === chosen.warp), onclick: () => choose({ warp }) }, name),
    folded ? bar(states, each) : laneCells(model, threads, states, chosen, choose));
}

function laneCells(model, threads, states, chosen, choose) {
  const here = (model.marked.get(chosen.at) || []).filter((mark) => mark.slot === chosen.slot);
  const wrong = new Set(here.map((mark) => mark.thread));
  const others = new Set(here.map((mark) => mark.other_thread));
  const cells = threads.map((thread, lane) => {
    const own = thread % model.stride, state = states[lane];
    const classes = ["lane", state];
    if (thread === chosen.thread) classes.push("chosen");
    if (wrong.has(own)) classes.push("wrong");
    else if (others.has(own)) classes.push("other");
    return make("span", { class: classes.join(" "), title: `${model.threadName(thread)}: ${words(state)}`,
      onclick: () => choose({ thread }) }, wrong.has(own) ? "!" : GLYPHS[state]);
  });
  return make("div", { class: "lanes", "aria-hidden": "true" }, ...cells);
}

function bar(states, said) {
  const counts = {};
  for (const state of states) counts[state] = (counts[state] || 0) + 1;
  const parts = Object.entries(counts).map(([state, count]) =>
    make("span", { class: `lane ${state}`, style: `flex: ${count}` }, GLYPHS[state]));
  return make("div", { class: "folded", "aria-hidden": "true" }, ...parts,
    make("span", { class: "tally" }, said));
}

function tally(states) {
  const counts = {};
  for (const state of states) counts[words(state)] = (counts[words(state)] || 0) + 1;
  return Object.entries(counts).map(([state, count]) => `${count} ${state}`).join(", ");
}

function words(state) {
  return {
    active: "active", apart: "off while their warp runs", idle: "inactive",
    barrier: "waiting at a barrier", warp: "waiting for their warp", gone: "gone",
  }[state];
}

function key() {
  const entries = ["active", "apart", "idle", "barrier", "gone"].map((state) =>
    make("span", {}, make("span", { class: `lane ${state}` }, GLYPHS[state]), ` ${
      { active: "active", apart: "off, its warp runs (diverged)", idle: "inactive",
        barrier: "waits", gone: "gone" }[state]}`));
  return make("div", { class: "key", "aria-hidden": "true" }, ...entries);
}

// --- shuffles ---------------------------------------------------------------------------------

function shuffles(model, chosen) {
  const first = chosen.slot * model.stride + chosen.warp * WARP;
  const pictures = model.frames[chosen.at].shuffles
    .map((one) => exchange(model, chosen, one, first)).filter(Boolean);
  return pictures.length
    ? section(`Shuffle of warp ${chosen.warp}: who received what from whom`, ...pictures) : null;
}

function exchange(model, chosen, one, first) {
  const box = 24, top = 30, bottom = 112;
  const rows = one.threads.map((thread, row) => ({ lane: thread - first, from: one.source[row] - first,
    value: one.values[row] })).filter(({ lane }) => lane >= 0 && lane < WARP);
  if (!rows.length) return null;
  const svg = make("svg:svg", { viewBox: `0 0 ${WARP * box} 150`, role: "img", class: "exchange",
    "aria-label": rows.map(({ lane, from, value }) =>
      `lane ${lane} received ${value.full} from lane ${from}`).join("; ") });
  const given = new Map(rows.map(({ from, value }) => [from, value.text]));
  for (let lane = 0; lane < WARP; lane++) {
    const mine = first + lane === chosen.thread ? " mine" : "";
    const received = rows.find((row) => row.lane === lane);
    svg.append(boxOf(lane * box, top - 22, box, given.get(lane) || "", `giver${mine}`),
      boxOf(lane * box, bottom, box, received ? received.value.text : "", received
        ? `taker${received.from === lane ? " own" : ""}${mine}` : "absent"),
      label(lane * box + box / 2, 150, String(lane)));
  }
  for (const { lane, from } of rows) {
    if (from === lane) continue;
    svg.append(arrow(from * box + box / 2, top, lane * box + box / 2, bottom,
      first + lane === chosen.thread ? "arrow mine" : "arrow"));
  }
  return make("div", { class: "memory", tabindex: "0", role: "group", "aria-label": "shuffle" }, svg);
}

function boxOf(x, y, width, text, kind) {
  const made = make("svg:g", { class: kind },
    make("svg:rect", { x: x + 1, y, width: width - 2, height: 22, rx: 2 }));
  const written = label(x + width / 2, y + 15, text);
  if (text.length > 4) {
    written.setAttribute("textLength", width - 4);
    written.setAttribute("lengthAdjust", "spacingAndGlyphs");
  }
  made.append(written);
  return made;
}

function label(x, y, text) {
  return make("svg:text", { x, y, "text-anchor": "middle" }, text);
}

function arrow(x1, y1, x2, y2, kind) {
  const angle = Math.atan2(y2 - y1, x2 - x1), tip = 6;
  const head = [-0.4, 0.4].map((turn) =>
    `${x2 - tip * Math.cos(angle + turn)},${y2 - tip * Math.sin(angle + turn)}`);
  return make("svg:g", { class: kind }, make("svg:line", { x1, y1, x2, y2 }),
    make("svg:polygon", { points: `${x2},${y2} ${head.join(" ")}` }));
}

// --- the chosen thread ------------------------------------------------------------------------

function oneThread(model, chosen) {
  const frame = model.frames[chosen.at], did = [];
  for (const one of frame.touches) {
    one.threads.forEach((thread, row) => {
      if (thread !== chosen.thread) return;
      const where = model.memories[one.memory].space === "local" ? "its own memory"
        : model.element(one.memory, one.offsets[row], one.width / one.each).name;
      const found = one.values.slice(row * one.each, (row + 1) * one.each).map((value) => value.full);
      const verb = { load: "read", store: "wrote", atomic: "updated" }[one.kind];
      did.push(`${verb} ${where}${one.kind === "load" ? " =" : " ←"} ${found.join(", ")}`);
    });
  }
  for (const one of frame.shuffles) {
    const row = one.threads.indexOf(chosen.thread);
    if (row >= 0) did.push(`received ${one.values[row].full} from lane ${one.source[row] % WARP}`);
  }
  const { steps = [] } = besideLines(model, chosen.thread).get(frame.line) || {};
  const { named = [] } = steps.find((step) => step.at === chosen.at) || {};
  for (const one of named.filter(({ full }) => full !== undefined)) did.push(`${one.name} = ${one.full}`);
  for (const one of named.length ? [] : model.assignedIn(chosen.at, chosen.thread)) {
    did.push(`computed ${one.full} (${typeName(one.type)})`);
  }
  const state = words(model.stateOf(chosen.thread, chosen.at)).replace("their", "its");
  const name = model.threadName(chosen.thread);
  const body = did.length ? make("ul", {}, ...did.map((text) => make("li", {}, text)))
    : make("p", {}, `${state}.`);
  return section(`${name[0].toUpperCase()}${name.slice(1)}, lane ${chosen.thread % WARP} of warp ${
    Math.floor((chosen.thread % model.stride) / WARP)}`, body);
}

function typeName(type) {
  return { f32: "float", f64: "double", s32: "int", u32: "int or unsigned", s64: "64-bit integer",
    u64: "64-bit integer", f16: "half" }[type] || type;
}
