// The recording, unpacked: twin of __init__.py. Everything that a picture needs is looked up here.
"use strict";

const GLYPHS = { active: "●", apart: "○", idle: "·", barrier: "‖", warp: "‖", gone: "✕" };
const STATES = ["idle", "barrier", "warp", "gone"];  // as recording.py numbers them
const WARP = 32, SECTOR = 32;

async function unpack(text) {
  const bytes = Uint8Array.from(atob(text), (one) => one.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Model(JSON.parse(await new Response(stream).text()));
}

function series(packed) {
  if (Array.isArray(packed)) return packed;
  return Array.from({ length: packed.n }, (_, at) => packed.f + at * packed.d);
}

const word = new DataView(new ArrayBuffer(4));

// [kind, numbers] as texts with few digits; `full` has all that the value has.
function values([kind, packed]) {
  return series(packed).map((one) => {
    if (kind === "i") return { text: String(one), full: String(one) };
    if (kind === "f") {
      word.setUint32(0, one);
      one = word.getFloat32(0);
    }
    return { text: short(Number(one)), full: String(Number(Number(one).toPrecision(9))) };
  });
}

function short(number) {
  if (Number.isNaN(number)) return "nan";
  if (!Number.isFinite(number)) return number > 0 ? "inf" : "-inf";
  if (Number.isInteger(number) && Math.abs(number) < 1e5) return String(number);
  const digits = Number(number.toPrecision(4));
  return Math.abs(digits) >= 1e5 || Math.abs(digits) < 1e-3 ? digits.toExponential(1) : String(digits);
}

function touch([kind, memory, threads, offsets, width, packed, owner]) {
  const found = values(packed), rows = series(threads);
  return {
    kind: { l: "load", s: "store", a: "atomic" }[kind], memory, width, threads: rows,
    offsets: series(offsets), owner: series(owner), values: found,
    each: found.length / rows.length,
  };
}

class Model {
  constructor(data) {
    Object.assign(this, data);
    this.slots = data.indices.length;
    this.warps = data.stride / WARP;
    let state = [];
    this.frames = data.frames.map((frame) => {
      if (frame.w) state = runs(frame.w);
      return {
        number: frame.n, line: frame.l, threads: new Set(series(frame.t)), say: frame.say || [],
        parted: !!frame.p, state,
        assigned: (frame.a || []).map(([result, threads, packed]) =>
          ({ result, threads: series(threads), values: values(packed) })),
        touches: (frame.m || []).map(touch), caughtUp: (frame.c || []).map(touch),
        shuffles: (frame.s || []).map(([threads, source, packed]) =>
          ({ threads: series(threads), source: series(source), values: values(packed) })),
        passed: (frame.b || []).map(series),
      };
    });
    this.history = this.cellHistory();
    this.besides = new Map();  // by thread: what its lines left, see values.js
    this.marked = new Map();
    for (const mark of data.marks) {
      if (!this.marked.has(mark.frame)) this.marked.set(mark.frame, []);
      this.marked.get(mark.frame).push(mark);
    }
  }

  // Shared cells: "memory:owner:offset" -> what was stored there, frame by frame.
  cellHistory() {
    const history = new Map();
    this.frames.forEach((frame, at) => {
      for (const one of [...frame.caughtUp, ...frame.touches]) {
        if (one.kind === "load" || this.memories[one.memory].space !== "shared") continue;
        one.threads.forEach((thread, row) => {
          for (let part = 0; part < one.each; part++) {
            const offset = one.offsets[row] + (part * one.width) / one.each;
            const key = `${one.memory}:${one.owner[row]}:${offset}`;
            if (!history.has(key)) history.set(key, []);
            history.get(key).push({ at, thread, value: one.values[row * one.each + part] });
          }
        });
      }
    });
    return history;
  }

  // What a shared cell holds after frame `at`: {value, thread}, or undefined if nobody wrote it.
  cell(memory, slot, offset, at) {
    const stored = this.history.get(`${memory}:${slot}:${offset}`) || [];
    let low = 0, high = stored.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (stored[middle].at <= at) low = middle + 1;
      else high = middle;
    }
    return stored[low - 1];
  }

  assignedIn(at, thread) {
    const latest = new Map();
    for (const one of this.frames[at].assigned) {
      const row = one.threads.indexOf(thread);
      const [type, name, constant] = this.results[one.result];
      if (row >= 0) latest.set(one.result, { name, type, constant, ...one.values[row] });
    }
    return [...latest.values()];
  }

  // Where another thread of the block last stored what a marked thread touches; else a thread beside
  // it at the same step. {frame, thread}, or undefined if there is none.
  otherThread({ frame, slot, thread }) {
    const number = slot * this.stride + thread, own = (one) => Math.floor(one / this.stride) === slot;
    const rows = (at) => this.frames[at].touches.flatMap((one) => one.threads.map((by, row) =>
      ({ by, kind: one.kind, memory: one.memory, owner: one.owner[row], start: one.offsets[row], width: one.width })));
    const mine = rows(frame).filter(({ by }) => by === number);
    const meets = (one) => mine.some((my) => my.memory === one.memory && my.owner === one.owner
      && my.start < one.start + one.width && one.start < my.start + my.width);
    for (let at = frame - 1; at >= 0 && mine.length; at--) {
      const found = rows(at).find((one) => one.kind !== "load" && one.by !== number && own(one.by) && meets(one));
      if (found) return { frame: at, thread: found.by % this.stride };
    }
    const beside = [...this.frames[frame].threads].find((one) => own(one) && one > number);
    return beside === undefined ? undefined : { frame, thread: beside % this.stride };
  }

  // What a thread (counted through the recording) is at after frame `at`.
  stateOf(thread, at) {
    const frame = this.frames[at];
    if (frame.threads.has(thread)) return "active";
    const state = STATES[frame.state[thread]];
    if (state !== "idle") return state;
    const first = thread - (thread % WARP);
    for (let other = first; other < first + WARP; other++) {
      if (frame.threads.has(other)) return "apart";
    }
    return "idle";
  }

  takesPart(at, slot) {
    return this.frames[at].say[slot] !== undefined && this.frames[at].say[slot] !== "";
  }

  isEvent(at) {
    const frame = this.frames[at];
    return frame.touches.length || frame.shuffles.length || frame.passed.length || frame.parted
      || this.marked.has(at) || this.changesState(at);
  }

  changesState(at) {
    return at > 0 && this.frames[at].state !== this.frames[at - 1].state;
  }

  // `tile[3]` for a byte offset; the part of the memory, and the index of the element in it.
  element(memory, offset, width) {
    const parts = this.memories[memory].parts;
    const part = parts.find(([, start, size]) => start <= offset && offset < start + size);
    if (!part) return { name: `byte ${offset}`, index: 0 };
    const [name, start, size, bytes, ...inner] = part;
    const each = bytes || width;
    if (size <= each) return { name, part, index: 0 };
    let index = Math.floor((offset - start) / each), rest = index;
    const indices = [];
    for (const length of [...inner].reverse()) {
      indices.unshift(rest % length);
      rest = Math.floor(rest / length);
    }
    return { name: `${name}${[rest, ...indices].map((one) => `[${one}]`).join("")}`, part, index };
  }

  threadName(thread) {
    const [x, y, z] = this.block, at = thread % this.stride;
    if (y === 1 && z === 1) return `thread ${at}`;
    const place = [at % x, Math.floor(at / x) % y, Math.floor(at / (x * y))];
    return `thread ${at} (${place.slice(0, z > 1 ? 3 : 2).join(", ")})`;
  }

  blockName(slot) {
    const [x, y, z] = this.indices[slot];
    return y || z || this.grid[1] > 1 || this.grid[2] > 1 ? `(${x}, ${y}, ${z})` : String(x);
  }
}

function runs(packed) {
  const state = [];
  for (let at = 0; at < packed.length; at += 2) {
    for (let count = 0; count < packed[at + 1]; count++) state.push(packed[at]);
  }
  return state;
}
