// The pictures: each takes the model and what is chosen, and returns an element.
"use strict";

const MOST_ROWS = 8, MOST_SECTORS = 32, SMALL_BLOCK = 64;

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

function sourceRows(model) {
  return model.source.map((text, at) =>
    make("div", { class: "row", "data-line": at + 1 },
      make("span", { class: "number" }, String(at + 1)),
      make("span", { class: "code" }, text || " "),
      make("span", { class: "left" })));
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
    const found = model.lastAssigned(line, chosen.thread, chosen.at);
    const fresh = found.some((one) => one.at === chosen.at);
    row.lastChild.textContent = found.map(assignment).join("  ");
    row.lastChild.classList.toggle("fresh", fresh);
  });
  const current = rows[frame.line - 1];
  if (current) keepInView(current.parentElement, current);
}

function assignment(one) {
  return one.name ? `${one.name} = ${one.text}` : `→ ${one.text}`;
}

// `box` is what the row's offset counts from: it has a position of its own.
function keepInView(box, row) {
  const above = row.offsetTop;
  if (above < box.scrollTop + 20 || above > box.scrollTop + box.clientHeight - 60) {
    box.scrollTop = above - box.clientHeight / 2;
  }
}

// --- the lanes of each warp -------------------------------------------------------------------

function lanes(model, chosen, choose) {
  const first = chosen.slot * model.stride, folds = model.threads > SMALL_BLOCK;
  const rows = [];
  for (let warp = 0; warp < model.warps; warp++) {
    const threads = [];
    for (let lane = 0; lane < WARP && warp * WARP + lane < model.threads; lane++) {
      threads.push(first + warp * WARP + lane);
    }
    const states = threads.map((thread) => model.stateOf(thread, chosen.at));
    const said = `warp ${warp}: ${tally(states)}`;
    const open = !folds || warp === chosen.warp;
    rows.push(make("div", { class: `warp${warp === chosen.warp ? " chosen" : ""}`, title: said },
      make("button", { type: "button", class: "label", "aria-label": said,
        "aria-pressed": String(warp === chosen.warp),
        onclick: () => choose({ warp }) }, `warp ${warp}`),
      open ? laneCells(model, threads, states, chosen, choose) : bar(states, said)));
  }
  return section(`Threads of block ${model.blockName(chosen.slot)}`,
    make("div", { class: "warps", tabindex: model.warps > 8 ? "0" : undefined,
      role: "group", "aria-label": "warps" }, ...rows), key());
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
    make("span", { class: "tally" }, said.split(": ")[1]));
}

function tally(states) {
  const counts = {};
  for (const state of states) counts[words(state)] = (counts[words(state)] || 0) + 1;
  return Object.entries(counts).map(([state, count]) => `${count} ${state}`).join(", ");
}

function words(state) {
  return {
    active: "active", apart: "off while their warp runs", idle: "standing by",
    barrier: "waiting at a barrier", warp: "waiting for their warp", gone: "gone",
  }[state];
}

function key() {
  const entries = ["active", "apart", "idle", "barrier", "gone"].map((state) =>
    make("span", {}, make("span", { class: `lane ${state}` }, GLYPHS[state]), ` ${
      { active: "active", apart: "off, its warp runs (diverged)", idle: "stands by",
        barrier: "waits", gone: "gone" }[state]}`));
  return make("div", { class: "key", "aria-hidden": "true" }, ...entries);
}

// --- shared memory, cell by cell --------------------------------------------------------------

function sharedMemory(model, chosen, across) {
  const shown = [];
  model.memories.forEach((memory, number) => {
    if (memory.space !== "shared") return;
    for (const part of memory.parts) shown.push(sharedPart(model, chosen, across, number, part));
  });
  const found = shown.filter(Boolean);
  return found.length ? section("Shared memory of the block", ...found,
    make("div", { class: "key", "aria-hidden": "true" },
      make("span", {}, make("span", { class: "cell read" }, "r"), " read at this step"),
      make("span", {}, make("span", { class: "cell written" }, "w"), " written at this step"),
      make("span", {}, "below a value: the thread that wrote it"))) : null;
}

function touched(model, chosen, number) {
  const cells = new Map();
  for (const one of model.frames[chosen.at].touches) {
    if (one.memory !== number) continue;
    one.offsets.forEach((offset, row) => {
      if (one.owner[row] !== chosen.slot) return;
      for (let part = 0; part < one.each; part++) {
        const key = offset + (part * one.width) / one.each;
        if (!cells.has(key)) cells.set(key, { read: false, written: false });
        const cell = cells.get(key);
        if (one.kind !== "store") cell.read = true;
        if (one.kind !== "load") cell.written = true;
        if (one.threads[row] === chosen.thread) cell.mine = true;
      }
    });
  }
  return cells;
}

function sharedPart(model, chosen, room, number, [name, start, size, bytes, ...inner]) {
  const each = bytes || 4, count = Math.floor(size / each);
  const across = inner.length ? Math.min(inner[inner.length - 1], 33) : Math.min(count, room);
  const marks = wrongCells(model, chosen, number), now = touched(model, chosen, number);
  const rows = [];
  for (let first = 0; first < count; first += across) {
    const offsets = [];
    for (let index = first; index < Math.min(first + across, count); index++) {
      offsets.push(start + index * each);
    }
    const used = offsets.some((offset) => model.history.has(`${number}:${chosen.slot}:${offset}`));
    const acting = offsets.some((offset) => now.has(offset) || marks.has(offset));
    if (used || acting) rows.push({ first, offsets, acting });
  }
  if (!rows.length) return null;
  let shown = rows;
  if (rows.length > MOST_ROWS) {
    const acting = rows.filter((row) => row.acting);
    shown = (acting.length ? acting : rows).slice(0, MOST_ROWS);
  }
  const hidden = rows.length - shown.length;
  const lines = shown.map(({ first, offsets }) => make("tr", {},
    make("th", { scope: "row" }, model.element(number, start + first * each, each).name),
    ...offsets.map((offset) => cell(model, chosen, number, offset, each, now, marks))));
  return make("div", { class: "memory", tabindex: "0", role: "group",
      "aria-label": `shared memory ${name}` },
    make("table", {}, make("caption", {}, hidden
      ? `${name}: ${shown.length} of ${rows.length} rows; those not touched at this step are folded`
      : name), make("tbody", {}, ...lines)));
}

function cell(model, chosen, number, offset, each, now, marks) {
  const held = model.cell(number, chosen.slot, offset, chosen.at), act = now.get(offset) || {};
  const classes = ["cell"];
  if (act.read) classes.push("read");
  if (act.written) classes.push("written");
  if (act.mine) classes.push("mine");
  if (marks.has(offset)) classes.push("wrong");
  if (!held) classes.push("unset");
  const name = model.element(number, offset, each).name;
  const by = held ? `, written by ${model.threadName(held.thread)}` : ", not written yet";
  const sign = `${marks.has(offset) ? "!" : ""}${act.read ? "r" : ""}${act.written ? "w" : ""}`;
  return make("td", { class: classes.join(" "), title: `${name} = ${held ? held.value.full : "?"}${by}` },
    make("span", { class: "sign" }, sign), make("span", { class: "value" }, held ? held.value.text : "–"),
    make("span", { class: "by" }, held ? writer(model, held.thread, chosen) : ""));
}

function writer(model, thread, chosen) {
  const slot = Math.floor(thread / model.stride);
  return slot === chosen.slot ? `t${thread % model.stride}` : `b${model.blockName(slot)}`;
}

function wrongCells(model, chosen, number) {
  const cells = new Set();
  for (const mark of model.marked.get(chosen.at) || []) {
    for (const [memory, owner, offset] of mark.cells) {
      if (memory === number && owner === chosen.slot) cells.add(offset);
    }
  }
  return cells;
}

// --- global memory, by sectors ----------------------------------------------------------------

function globalMemory(model, chosen) {
  const pictures = model.frames[chosen.at].touches
    .filter((one) => ["global", "const"].includes(model.memories[one.memory].space))
    .map((one) => sectors(model, chosen, one)).filter(Boolean);
  return pictures.length ? section("Global memory, in sectors of 32 bytes", ...pictures) : null;
}

function sectors(model, chosen, one) {
  const first = chosen.slot * model.stride + chosen.warp * WARP;
  const phase = model.memories[one.memory].phase, found = new Map();
  let bytes = 0;
  one.threads.forEach((thread, row) => {
    if (thread < first || thread >= first + WARP) return;
    for (let byte = one.offsets[row]; byte < one.offsets[row] + one.width; byte++) {
      const sector = Math.floor((byte + phase) / SECTOR);
      if (!found.has(sector)) found.set(sector, new Map());
      const place = byte + phase - sector * SECTOR, known = found.get(sector);
      if (!known.has(place)) bytes++;
      known.set(place, known.get(place) === "mine" || thread === chosen.thread ? "mine" : "used");
    }
  });
  if (!found.size) return null;
  const least = Math.ceil(bytes / SECTOR), did = { load: "read", store: "written", atomic: "updated" };
  const size = one.width / one.each;
  const boxes = [...found.keys()].sort((a, b) => a - b).slice(0, MOST_SECTORS)
    .map((sector) => sectorBox(model, one, sector, found.get(sector), phase, size));
  const more = found.size > MOST_SECTORS ? [make("span", { class: "more" },
    `and ${found.size - MOST_SECTORS} more`)] : [];
  const name = model.element(one.memory, one.offsets[0], one.width).name.replace(/\[.*/, "");
  const cost = found.size > least ? ` (${least} would hold these ${bytes} bytes)` : "";
  return make("div", { class: "sectors" },
    make("p", {}, `${name} ${did[one.kind]} by warp ${chosen.warp}: ${found.size} sector${
      found.size === 1 ? "" : "s"}${cost}`),
    make("div", { class: "boxes" }, ...boxes, ...more));
}

function sectorBox(model, one, sector, used, phase, size) {
  const cells = [];
  for (let place = 0; place < SECTOR; place += size) {
    cells.push(make("span", { class: used.get(place) || "idle" }));
  }
  const from = Math.max(sector * SECTOR - phase, 0);
  const { name } = model.element(one.memory, from, size);
  return make("span", { class: "sector", title: `from ${name} on: ${used.size} of 32 bytes used` },
    make("span", { class: "bytes" }, ...cells), make("span", { class: "where" }, name));
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
  for (const one of model.assignedIn(chosen.at, chosen.thread)) {
    did.push(one.name ? `${one.name} = ${one.full}` : `the line's result: ${one.full} (${typeName(one.type)})`);
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
