// What a line left in a thread, by name. A line table names no variables: a register's value gets a
// name where the line assigns one variable of its type, and where it is what the line's text comes
// to, as far as that can be computed. A loop's counter must be computable, since compilers unroll
// loops, and count down instead of up. Where a name would be a guess there is none.
"use strict";

const TYPES = "unsigned(?: int| long long)?|u?int\\d+_t|long long|size_t|int|uint|float|double|half|__half";
const ASSIGNS = /(?<![\w.\]>])([A-Za-z_]\w*)\s*([-+*/%]|<<|>>)?=(?!=)|(?<![\w.\]>])([A-Za-z_]\w*)(\+\+|--)/g;
const LOOP = /^\s*for\s*\(([^;]*);[^;]*;(.*)/;
const OPERATIONS = {
  "+": (a, b) => a + b, "-": (a, b) => a - b, "*": (a, b) => a * b, "/": (a, b) => Math.trunc(a / b),
  "%": (a, b) => a % b, "<<": (a, b) => a * 2 ** b, ">>": (a, b) => Math.floor(a / 2 ** b),
};
const LEVELS = [["<<", ">>"], ["+", "-"], ["*", "/", "%"]];  // of operators, those that bind least first

// An expression of whole numbers and known variables; NaN where it is another one.
function evaluate(text, known) {
  const tokens = text.match(/[A-Za-z_][\w.]*|\d+|<<|>>|\S/g) || [];
  let at = 0;
  function level(number) {
    if (number === LEVELS.length) return atom();
    let value = level(number + 1);
    while (LEVELS[number].includes(tokens[at])) value = OPERATIONS[tokens[at++]](value, level(number + 1));
    return value;
  }
  function atom() {
    const token = tokens[at++];
    if (token === "(") {
      const inside = level(0);
      return tokens[at++] === ")" ? inside : NaN;
    }
    return /^\d+$/.test(token) ? Number(token) : known.get(token) ?? NaN;
  }
  const value = level(0);
  return at === tokens.length ? value : NaN;
}

// "32", "64" for whole numbers, "f32" and the like: what registers of a C++ or PTX type hold.
function kind(type) {
  if (/double|f64/.test(type)) return "f64";
  if (/float|f32/.test(type)) return "f32";
  if (/half|f16/.test(type)) return "f16";
  return /long|size_t|64/.test(type) ? "64" : "32";
}

const codeOf = (text) => text.replace(/\/\/.*|\/\*.*?\*\//g, "").replace(/\bconst\b/g, "");

// The text up to the comma, semicolon or bracket that ends an expression.
function expression(text) {
  let depth = 0, end = 0;
  for (; end < text.length && (depth || !/[,;)]/.test(text[end])); end++) {
    depth += { "(": 1, ")": -1 }[text[end]] || 0;
  }
  return text.slice(0, end);
}

// The variables that a line gives a value to: [{name, kind, gives}], each kind once, since two of a
// kind cannot be told apart. `gives` are the [operator, expression] that it does so with; of a loop's
// header (`loops`) the first begins it, and the others lead to the next round.
function assignedNames(text, source) {
  const gives = new Map(), kinds = new Map();
  for (const match of text.matchAll(ASSIGNS)) {
    const name = match[1] || match[3], rest = expression(text.slice(match.index + match[0].length));
    if (!gives.has(name)) gives.set(name, []);
    gives.get(name).push(match[4] ? [match[4][0], "1"] : [match[2] || "", rest]);
  }
  for (const name of gives.keys()) {
    const declared = new RegExp(`\\b(${TYPES})\\s+(?:\\w+\\s*(?:=[^,;()]*)?,\\s*)*${name}\\b\\s*[=;,)]`, "g");
    const found = new Set([...source.matchAll(declared)].map((match) => kind(match[1])));
    if (found.size !== 1) continue;
    const [only] = found;
    kinds.set(only, kinds.has(only) ? null : name);
  }
  const counter = (name) => new RegExp(`\\b${name}\\s*=`).test((text.match(LOOP) || ["", ""])[1]);
  return [...kinds].filter(([, name]) => name)
    .map(([only, name]) => ({ name, kind: only, gives: gives.get(name), loops: counter(name) }));
}

class BesideLines {
  constructor(model, thread) {
    Object.assign(this, { model, thread, lines: new Map(), known: builtIns(model, thread) });
    this.source = model.source.map(codeOf);
    model.frames.forEach((frame, at) => {
      if (frame.threads.has(thread) && frame.line) this.pass(frame, at);
    });
  }

  pass(frame, at) {
    const { model, thread } = this;
    if (!this.lines.has(frame.line)) {
      const names = assignedNames(this.source[frame.line - 1] || "", this.source.join("\n"));
      this.lines.set(frame.line, { names, steps: [], since: new Set() });
    }
    const line = this.lines.get(frame.line);
    const named = this.named(model.assignedIn(at, thread), line), touched = touchedHere(model, frame, thread);
    if (named.length || touched.length) line.steps.push({ at, named, touched });
    this.comeRound(frame.line, at);
  }

  named(assigned, line) {
    const found = [];
    for (const one of line.names) {
      const same = assigned.filter((other) => !other.name && kind(other.type) === one.kind);
      const whole = /^\d/.test(one.kind), wanted = whole ? this.wanted(one, line.above) : [];
      const value = wanted.length ? [...same, ...assigned].find((other) => wanted.includes(Number(other.full)))
        : same.filter((other) => !other.constant || /^\s*[-.\w]*$/.test(one.gives[0][1])).pop();
      if (value && !one.lost && !(one.loops && !wanted.length)) {
        found.push({ name: one.name, text: value.text, full: value.full });
        if (whole) this.known.set(one.name, Number(value.full));
        one.begun = true;
      } else if (same.length && one.loops && one.begun) {
        found.push(this.lose(one));
      }
    }
    const copied = new Set(line.names.map(({ gives }) => gives[0][1].trim()));
    return [...found, ...assigned.filter(({ name }) => name && !(found.length && copied.has(name)))];
  }

  // The values that the text comes to. A counter keeps its value or has that of the next round; it
  // begins anew only if the thread was above its loop (`above`).
  wanted({ name, gives, loops, begun }, above) {
    const own = this.known.get(name) ?? NaN;
    const come = ([operator, text]) => {
      const value = evaluate(text, this.known);
      return operator ? OPERATIONS[operator](own, value) : value;
    };
    const rounds = loops && begun ? [own, ...gives.slice(above ? 0 : 1).map(come)] : [come(gives[0])];
    return rounds.filter((value) => !Number.isNaN(value));
  }

  lose(one) {
    one.lost = true;
    this.known.delete(one.name);
    return { name: one.name };
  }

  // A counter is no longer known where its loop comes round without its line.
  comeRound(number, at) {
    const indent = (line) => (this.source[line - 1] || "").search(/\S/);
    for (const [header, line] of this.lines) {
      const counter = line.names.find((one) => one.loops && one.begun && !one.lost);
      line.above = number < header || (line.above && number !== header);
      if (header === number) line.since.clear();
      if (!counter || header >= number || indent(number) !== indent(header + 1)) continue;
      if (line.since.has(number) && line.latest !== number && !LOOP.test(this.source[number - 1])) {
        line.steps.push({ at, named: [this.lose(counter)], touched: [] });
      }
      line.since.add(number);
      line.latest = number;
    }
  }
}

function builtIns(model, thread) {
  const [x, y] = model.block, own = thread % model.stride;
  const all = { threadIdx: [own % x, Math.floor(own / x) % y, Math.floor(own / (x * y))], blockDim: model.block,
    blockIdx: model.indices[Math.floor(thread / model.stride)], gridDim: model.grid };
  const known = new Map([["warpSize", WARP]]);
  for (const [name, of] of Object.entries(all)) of.forEach((value, axis) => known.set(`${name}.${"xyz"[axis]}`, value));
  return known;
}

// Elements by name, each with the last value that it had in the step.
function touchedHere(model, frame, thread) {
  const found = new Map();
  for (const one of frame.touches) {
    const row = one.threads.indexOf(thread);
    if (row < 0 || model.memories[one.memory].space === "local") continue;
    for (let part = 0; part < one.each; part++) {
      const offset = one.offsets[row] + (part * one.width) / one.each;
      const { name } = model.element(one.memory, offset, one.width / one.each);
      found.set(name, { ...one.values[row * one.each + part], name });
    }
  }
  return [...found.values()];
}

// By line: [{at, named, touched}], what a thread assigned and touched there, step by step. A name
// without a value is one whose value is no longer known.
function besideLines(model, thread) {
  if (!model.besides.has(thread)) model.besides.set(thread, new BesideLines(model, thread).lines);
  return model.besides.get(thread);
}

// What stands beside a line at a step: its variables as it left them, and the elements that it
// touched last. {values, fresh}: fresh if it is of this very step.
function besideLine(model, line, thread, at) {
  const { steps = [] } = besideLines(model, thread).get(line) || {};
  const values = new Map();
  let touched = null, latest = -1;
  for (let place = steps.length - 1; place >= 0; place--) {
    const step = steps[place];
    if (step.at > at) continue;
    latest = Math.max(latest, step.at);
    touched ??= step.touched.length ? step.touched : null;
    for (const one of step.named) if (!values.has(one.name)) values.set(one.name, one);
  }
  const known = [...values.values()].filter((one) => one.text !== undefined);
  return { values: [...known, ...(touched || [])], fresh: latest === at };
}
