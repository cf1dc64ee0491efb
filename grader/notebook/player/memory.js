// Memory at a step: shared memory cell by cell, global memory by sectors.
"use strict";

const SMALL_ARRAY = 64, MOST_LARGE = 7, MOST_SECTORS = 32;

// --- shared memory, cell by cell --------------------------------------------------------------

function sharedMemory(model, chosen, across, fold) {
  const shown = [];
  model.memories.forEach((memory, number) => {
    if (memory.space !== "shared") return;
    for (const part of memory.parts) shown.push(sharedPart(model, chosen, across, number, part, fold));
  });
  const found = shown.filter(Boolean);
  return found.length ? section(`Shared memory of block ${model.blockName(chosen.slot)}`, ...found,
    make("div", { class: "key", "aria-hidden": "true" },
      make("span", {}, make("span", { class: "cell read" }, "r"), " read at this step"),
      make("span", {}, make("span", { class: "cell written" }, "w"), " written at this step"),
      make("span", {}, make("span", { class: "cell mine" }), " by the chosen thread"),
      make("span", {}, "below a value: the thread that wrote it"))) : null;
}

// By offset, who reads and who writes a cell at this step.
function touched(model, chosen, number) {
  const cells = new Map();
  for (const one of model.frames[chosen.at].touches) {
    if (one.memory !== number) continue;
    one.offsets.forEach((offset, row) => {
      if (one.owner[row] !== chosen.slot) return;
      for (let part = 0; part < one.each; part++) {
        const key = offset + (part * one.width) / one.each;
        if (!cells.has(key)) cells.set(key, { readers: new Set(), writers: new Set() });
        const { readers, writers } = cells.get(key);
        if (one.kind !== "store") readers.add(one.threads[row]);
        if (one.kind !== "load") writers.add(one.threads[row]);
      }
    });
  }
  return cells;
}

// An array of which few cells are ever written is shown whole, as far as it is used. Of another one
// the cells that matter are large, and the others folded.
function sharedPart(model, chosen, across, number, [name, start, size, bytes, ...inner], fold) {
  const each = bytes || 4, count = Math.floor(size / each);
  const marks = wrongCells(model, chosen, number), now = touched(model, chosen, number);
  const cells = Array.from({ length: count }, (_, at) =>
    cellAt(model, chosen, number, start + at * each, each, now, marks));
  const used = cells.filter((one) => one.used || one.acts || one.wrong);
  if (!used.length) return null;
  const row = inner.length ? Math.min(inner[inner.length - 1], across) : Math.min(count, across);
  if (used.length <= SMALL_ARRAY) return cellTable(name, cells, row);
  const acting = cells.filter((one) => one.acts).length;
  const summary = `${name}: all ${count} cells${acting ? `, ${acting} of them used at this step` : ""}`;
  return make("div", {},
    make("div", { class: "larges" }, ...matter(cells, chosen).map((one) => largeCell(model, one, chosen))),
    make("details", { open: fold.has(name), ontoggle: (event) => fold.toggle(name, event.target.open) },
      make("summary", {}, summary), fold.has(name) ? cellTable(name, cells, row) : null));
}

// Those in conflict, those that the chosen thread touches or wrote, then others of this step.
function matter(cells, chosen) {
  const rank = (one) => one.wrong ? 0 : one.mine ? 1 : one.held && one.held.thread === chosen.thread ? 2 : one.acts ? 3 : 9;
  return cells.filter((one) => rank(one) < 9).sort((a, b) => rank(a) - rank(b)).slice(0, MOST_LARGE)
    .sort((a, b) => a.offset - b.offset);
}

function cellAt(model, chosen, number, offset, each, now, marks) {
  const { readers = new Set(), writers = new Set() } = now.get(offset) || {};
  const held = model.cell(number, chosen.slot, offset, chosen.at);
  return { offset, readers, writers, acts: readers.size + writers.size > 0, wrong: marks.has(offset),
    mine: readers.has(chosen.thread) || writers.has(chosen.thread),
    held, used: model.history.has(`${number}:${chosen.slot}:${offset}`), name: model.element(number, offset, each).name,
    writer: held && writer(model, held.thread, chosen), title: held && model.threadName(held.thread) };
}

function classesOf(one) {
  const classes = ["cell"];
  if (one.readers.size) classes.push("read");
  if (one.writers.size) classes.push("written");
  if (one.mine) classes.push("mine");
  if (one.wrong) classes.push("wrong");
  if (!one.held) classes.push("unset");
  return classes;
}

function largeCell(model, one, chosen) {
  const did = [];
  if (one.readers.size) did.push(`read by ${who(model, one.readers)}`);
  if (one.writers.size) did.push(`written by ${who(model, one.writers)}`);
  if (one.held && !one.writers.size) did.push(`from ${writer(model, one.held.thread, chosen, "thread ")}`);
  return make("div", { class: [...classesOf(one), "large"].join(" ") },
    make("span", { class: "name" }, `${one.wrong ? "! " : ""}${one.name}`),
    make("span", { class: "value" }, one.held ? one.held.value.text : "–"),
    ...(did.length ? did : ["not written yet"]).map((text) => make("span", { class: "by" }, text)));
}

function who(model, threads) {
  const own = [...threads].map((thread) => thread % model.stride);
  if (own.length > 2) return `${own.length} threads`;
  return own.length === 1 ? `thread ${own[0]}` : `threads ${own.join(" and ")}`;
}

function cellTable(name, cells, across) {
  const rows = [];
  for (let first = 0; first < cells.length; first += across) {
    const some = cells.slice(first, first + across);
    if (!some.some((one) => one.used || one.acts || one.wrong)) continue;
    rows.push(make("tr", {}, make("th", { scope: "row" }, some[0].name), ...some.map(smallCell)));
  }
  return make("div", { class: "memory", tabindex: "0", role: "group", "aria-label": `shared memory ${name}` },
    make("table", {}, make("tbody", {}, ...rows)));
}

// Below a value what is done with it at this step, and who wrote it.
function smallCell(one) {
  const signs = `${one.wrong ? "!" : ""}${one.readers.size ? "r" : ""}${one.writers.size ? "w" : ""}`;
  const by = one.held ? `, written by ${one.title}` : ", not written yet";
  return make("td", { class: classesOf(one).join(" "), title: `${one.name} = ${one.held ? one.held.value.full : "?"}${by}` },
    make("span", { class: "value" }, one.held ? one.held.value.text : "–"),
    make("span", { class: "by" }, make("b", { class: "sign" }, signs), one.held ? ` ${one.writer}` : ""));
}

function writer(model, thread, chosen, word = "t") {
  const slot = Math.floor(thread / model.stride);
  return slot === chosen.slot ? `${word}${thread % model.stride}` : `block ${model.blockName(slot)}`;
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
