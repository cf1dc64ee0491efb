// Buttons, slider, keys and choices; what is shown follows from `chosen` alone.
"use strict";

const CONTROLS = [
  ["first", "|◀", "first step (Home)"], ["back", "◀", "one step back (left arrow)"],
  ["forth", "▶", "one step forth (right arrow)"], ["last", "▶|", "last step (End)"],
];
const ROOM_FOR_16 = 900;  // pixels: as many cells side by side; else half of them
const MOST_MARKS = 3;
const KEYS = { ArrowLeft: "back", ArrowRight: "forth", Home: "first", End: "last" };

class Player {
  constructor(model, root) {
    this.model = model;
    const mark = model.marks[0];
    const slot = mark ? mark.slot : 0;
    const thread = slot * model.stride + (mark && mark.thread !== null ? mark.thread : 0);
    const by = model.frames.length > 60 ? "event" : "line";
    this.chosen = { at: model.open, slot, thread, warp: this.warpOf(thread), by };
    this.folds = new Set();  // arrays whose cells are all shown
    this.build(root);
    this.show();
    document.addEventListener("keydown", (event) => this.pressed(event));
  }

  warpOf(thread) {
    return Math.floor((thread % this.model.stride) / WARP);
  }

  build(root) {
    const { model } = this;
    this.rows = sourceRows(model);
    this.slider = make("input", { type: "range", min: 0, max: model.frames.length - 1, step: 1,
      "aria-label": "step of the run", oninput: () => this.go(Number(this.slider.value)) });
    this.place = make("output", { class: "place" });
    this.said = make("p", { class: "said", role: "status", "aria-live": "polite" });
    this.wrong = make("div", { class: "wrongs" });
    this.panels = make("div", { class: "panels" });
    this.memories = make("div", { class: "memories" });
    const buttons = CONTROLS.map(([name, sign, words]) => make("button",
      { type: "button", title: words, "aria-label": words, "data-go": name,
        onclick: () => this.step(name) }, sign));
    this.jumps = jumps(model).map((jump) => ({ ...jump, button: make("button", { type: "button",
      class: jump.main ? "jump to-mark" : "jump", onclick: () => this.toThread(jump) }, jump.text) }));
    root.append(
      make("div", { class: "bar", role: "toolbar", "aria-label": "steps" }, ...buttons,
        this.picker("Step by", "by", [["line", "line"], ["event", "event"], ["barrier", "barrier"]]),
        ...this.choosers(), this.slider, this.place),
      this.jumps.length ? make("div", { class: "bar", role: "group", "aria-label": "go to" },
        ...this.jumps.map(({ button }) => button)) : "",
      ...this.leftOut(), this.said, this.wrong,
      make("div", { class: "source", tabindex: "0", role: "group", "aria-label": "source" }, ...this.rows),
      this.panels, this.memories);
    const first = this.rows[firstShown(model)];
    if (first) first.parentElement.scrollTop = first.offsetTop;
  }

  picker(label, what, options) {
    const list = make("select", { "data-choose": what, onchange: () => this.choose({ [what]:
      what === "by" ? list.value : Number(list.value) }) },
      ...options.map(([value, text]) => make("option", { value }, text)));
    this.lists = { ...this.lists, [what]: list };
    return make("label", {}, `${label} `, list);
  }

  choosers() {
    const { model } = this, made = [];
    const numbers = (count) => Array.from({ length: count }, (_, at) => [at, String(at)]);
    made.push(this.picker("Block", "slot", model.indices.map((_, slot) => [slot, model.blockName(slot)])));
    made.push(this.picker("Warp", "warp", numbers(model.warps)));
    made.push(this.picker("Thread", "own", numbers(model.threads)
      .map(([at]) => [at, model.threadName(at).replace("thread ", "")])));
    return made;
  }

  leftOut() {
    const { model } = this, notes = [];
    if (model.steps > model.frames.length) {
      notes.push(`The run has ${model.steps.toLocaleString("en")} steps; ${
        model.frames.length.toLocaleString("en")} of them are kept: the first ones, then fewer and fewer.`);
    }
    if (model.launched > model.slots) {
      notes.push(`${model.slots} of ${model.launched.toLocaleString("en")} blocks recorded.`);
    }
    return notes.map((text) => make("p", { class: "note" }, text));
  }

  choose(change) {
    const { model, chosen } = this;
    Object.assign(chosen, change);
    if ("own" in change) change.thread = chosen.slot * model.stride + change.own;
    if ("slot" in change) change.thread = chosen.slot * model.stride + (chosen.thread % model.stride);
    if ("warp" in change) {
      const lane = chosen.thread % WARP;
      const own = Math.min(chosen.warp * WARP + lane, model.threads - 1);
      change.thread = chosen.slot * model.stride + own;
    }
    if ("thread" in change) {
      chosen.thread = change.thread;
      chosen.warp = this.warpOf(chosen.thread);
    }
    this.show();
  }

  go(at) {
    this.chosen.at = Math.max(0, Math.min(at, this.model.frames.length - 1));
    this.show();
  }

  // The next frame in a direction at which to stop, or where we are if there is none.
  next(direction) {
    const { model, chosen } = this;
    for (let at = chosen.at + direction; at >= 0 && at < model.frames.length; at += direction) {
      if (!model.takesPart(at, chosen.slot) && !model.marked.has(at)) continue;
      if (chosen.by === "event" && !model.isEvent(at)) continue;
      if (chosen.by === "barrier" && !model.frames[at].passed.length && !model.marked.has(at)) continue;
      return at;
    }
    return direction > 0 && chosen.by !== "line" ? model.frames.length - 1 : chosen.at;
  }

  step(name) {
    if (name === "first") this.go(0);
    else if (name === "last") this.go(this.model.frames.length - 1);
    else this.go(this.next(name === "forth" ? 1 : -1));
  }

  toThread({ slot, frame, thread }) {
    const { model, chosen } = this;
    chosen.slot = slot;
    if (thread !== null) {
      chosen.thread = slot * model.stride + thread;
      chosen.warp = this.warpOf(chosen.thread);
    }
    this.go(frame);
  }

  pressed(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target.tagName === "SELECT") return;
    if (!(event.key in KEYS)) return;
    event.preventDefault();
    this.step(KEYS[event.key]);
  }

  show() {
    const { model, chosen } = this, frame = model.frames[chosen.at];
    if (!frame) return;
    this.slider.value = chosen.at;
    this.place.textContent = `step ${(frame.number + 1).toLocaleString("en")} of ${
      model.steps.toLocaleString("en")}`;
    this.slider.setAttribute("aria-valuetext", `${this.place.textContent}, line ${frame.line}`);
    this.lists.by.value = chosen.by;
    this.lists.slot.value = chosen.slot;
    this.lists.warp.value = chosen.warp;
    this.lists.own.value = chosen.thread % model.stride;
    this.said.textContent = frame.say[chosen.slot]
      || `Line ${frame.line}: no thread of block ${model.blockName(chosen.slot)} takes part.`;
    this.wrong.replaceChildren(...(model.marked.get(chosen.at) || []).map((mark) => this.markBox(mark)));
    showSource(this.rows, model, chosen);
    this.panels.replaceChildren(lanes(model, chosen, (change) => this.choose(change)),
      oneThread(model, chosen));
    for (const { frame: at, slot, thread, button } of this.jumps) {
      const here = at === chosen.at && (thread === null || slot * model.stride + thread === chosen.thread);
      button.setAttribute("aria-pressed", String(here));
    }
    this.showMemories();
    fit();
  }

  showMemories() {
    const { model, chosen, folds } = this, across = this.memories.clientWidth < ROOM_FOR_16 ? 8 : 16;
    const fold = { has: (name) => folds.has(name), toggle: (name, open) => this.unfold(name, open) };
    this.memories.replaceChildren(...[shuffles(model, chosen),
      sharedMemory(model, chosen, across, fold), globalMemory(model, chosen)].filter(Boolean));
  }

  unfold(name, open) {
    if (this.folds.has(name) === open) return;
    if (open) this.folds.add(name);
    else this.folds.delete(name);
    tallest = 0;
    this.showMemories();
    fit();
  }

  markBox(mark) {
    return make("div", { class: mark.warning ? "mark warning" : "mark" },
      make("strong", {}, `${mark.warning ? "Worth a look" : "✗"} ${mark.title}. `), ...prose(mark.text));
  }
}

// Where the buttons lead: to what went wrong, to the other thread's part in it, and to the end.
function jumps(model) {
  const found = [], { marks, frames } = model;
  const add = (name, { slot }, frame, thread, main) => {
    if (found.some((one) => one.name === name || (one.frame === frame && one.thread === thread))) return;
    const place = `step ${(frames[frame].number + 1).toLocaleString("en")}`;
    const whose = thread === null ? "" : name === "Other thread" ? `${thread}, ` : `thread ${thread}, `;
    const text = `${name}: ${whose}${place}`;
    found.push({ name, text, slot, frame, thread, main });
  };
  marks.slice(0, MOST_MARKS).forEach((mark, at) => {
    if (mark.other !== null) add(mark.other_step, mark, mark.other, mark.other_thread);
    add(at && mark.step !== "The end" ? mark.title : mark.step, mark, mark.frame, mark.thread, !at);
    const wrong = ["First difference", "Wrong element"].includes(mark.step);
    const other = wrong && mark.thread !== null && model.otherThread(mark);
    if (other) add(mark.other_step, mark, other.frame, other.thread);
  });
  if (marks.length && marks[0].frame < frames.length - 1) add("The end", marks[0], frames.length - 1, null);
  return found;
}

// --- the page around: its theme, and how tall this frame is ------------------------------------

function outside() {
  try {
    return window.parent !== window && window.frameElement ? window.parent.document : null;
  } catch {
    return null;  // a frame that may not look outside
  }
}

// JupyterLab and pages made of notebooks say which theme they have; else the reader's own counts.
function theme(page) {
  const body = page && page.body;
  if (body && "jpThemeLight" in body.dataset) return body.dataset.jpThemeLight === "true" ? "light" : "dark";
  if (body && "vscodeThemeKind" in body.dataset) return /light/.test(body.dataset.vscodeThemeKind) ? "light" : "dark";
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

function follow(page) {
  const apply = () => { document.documentElement.dataset.theme = theme(page); };
  apply();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", apply);
  if (page) {
    new MutationObserver(apply).observe(page.body,
      { attributes: true, attributeFilter: ["data-jp-theme-light", "data-vscode-theme-kind"] });
  }
}

// VS Code scrolls its notebook by what its own page hears of the wheel, and of this frame it hears
// nothing: so tell it, unless something in here is scrolled.
function passWheelOn(page) {
  if (!page || !("vscodeThemeKind" in page.body.dataset)) return;
  document.addEventListener("wheel", (event) => {
    if (scrolls(event.target, event.deltaY)) return;
    const { deltaX, deltaY, deltaMode, wheelDeltaX, wheelDeltaY, shiftKey } = event;
    window.frameElement.dispatchEvent(new WheelEvent("wheel",
      { bubbles: true, deltaX, deltaY, deltaMode, wheelDeltaX, wheelDeltaY, shiftKey }));
  }, { passive: true });
}

function scrolls(element, by) {
  for (let box = element; box && box !== document.body; box = box.parentElement) {
    const room = by < 0 ? box.scrollTop : box.scrollHeight - box.clientHeight - box.scrollTop;
    if (room >= 1 && /auto|scroll/.test(getComputedStyle(box).overflowY)) return true;
  }
  return false;
}

let tallest = 0;

// As tall as the tallest step so far, so that the page below does not jump.
function fit() {
  if (!outside()) return;
  const needed = Math.ceil(document.getElementById("player").getBoundingClientRect().height) + 2;
  tallest = Math.max(tallest, needed);
  window.frameElement.style.height = `${tallest}px`;
}

async function begin() {
  const page = outside();
  follow(page);
  passWheelOn(page);
  const model = await unpack(document.getElementById("data").textContent.trim());
  window.player = new Player(model, document.getElementById("player"));
  const strip = page && window.frameElement.closest(".ww-player")?.lastElementChild;
  if (strip) strip.hidden = true;
  let width = window.innerWidth;
  window.addEventListener("resize", () => {
    if (window.innerWidth === width) return;
    width = window.innerWidth;
    tallest = 0;
    window.player.show();
  });
}

begin();
