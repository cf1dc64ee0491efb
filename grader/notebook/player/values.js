// What a line left in a thread, by name. A line table names no variables: a value has a name only if
// the text of its line assigns one variable of the value's type.
"use strict";

const TYPES = "unsigned(?: int| long long)?|u?int\\d+_t|long long|size_t|int|uint|float|double|half|__half";
const NAMED = /(?<![\w.\]>])([A-Za-z_]\w*)\s*(?:[-+*/%&|^]|<<|>>)?=(?!=)/g;
const BUILT_IN = /(\w+)\s*=\s*((?:threadIdx|blockIdx|blockDim|gridDim)\.[xyz])\s*;/;
const UPDATES = {
  "++": (a) => a + 1, "--": (a) => a - 1, "+=": (a, b) => a + b, "-=": (a, b) => a - b,
  "*=": (a, b) => a * b, "/=": (a, b) => Math.trunc(a / b), "<<=": (a, b) => a << b, ">>=": (a, b) => a >> b,
};

// "32", "64" for integers, "f32" and the like: what registers of a C++ or PTX type hold.
function kind(type) {
  if (/double|f64/.test(type)) return "f64";
  if (/float|f32/.test(type)) return "f32";
  if (/half|f16/.test(type)) return "f16";
  return /long|size_t|64/.test(type) ? "64" : "32";
}

// The variables that a line assigns: [{name, kind}], each kind once; a kind of two is left out.
function assignedNames(code, source) {
  const found = new Map();
  for (const name of new Set([...code.matchAll(NAMED)].map((match) => match[1]))) {
    const declared = new RegExp(`\\b(${TYPES})\\s+(?:\\w+\\s*(?:=[^,;()]*)?,\\s*)*${name}\\b\\s*[=;,)]`, "g");
    const kinds = new Set([...source.matchAll(declared)].map((match) => kind(match[1])));
    if (kinds.size !== 1) continue;
    const [only] = kinds;
    found.set(only, found.has(only) ? null : name);
  }
  return [...found].filter(([, name]) => name).map(([only, name]) => ({ name, kind: only }));
}

// Whether a value may follow in a loop's header: a compiler that unrolls a loop, or counts down
// instead of up, has other numbers in its register than the variable would have.
function rounds(code, name) {
  const header = code.match(/\bfor\s*\(([^;]*);[^;]*;(.*)/);
  if (!header || !new RegExp(`\\b${name}\\s*=`).test(header[1])) return null;
  const begins = header[1].match(new RegExp(`\\b${name}\\s*=\\s*(\\d+)\\s*(?:,|$)`));
  const step = header[2].match(new RegExp(`\\b${name}\\s*(\\+\\+|--|(?:[-+*/]|<<|>>)=\\s*(\\d+)\\s*[,)])|(\\+\\+|--)${name}\\b`));
  const update = step && UPDATES[step[3] || step[1].replace(/[\s\d,)]/g, "")];
  let first = begins ? Number(begins[1]) : null, latest = null;
  return (value) => {
    first ??= value;
    const follows = latest === null && update ? [first, update(first, Number(step[2]))]
      : [first, latest, update && latest !== null ? update(latest, Number(step[2])) : value];
    if (!follows.includes(value)) return false;
    latest = value;
    return true;
  };
}

const code = (text) => text.replace(/\/\/.*|\/\*.*?\*\//g, "").replace(/\bconst\b/g, "");

// By line: [{at, named, touched}], what a thread assigned and touched there, step by step. A name
// without a value is one whose value is no longer known.
function besideLines(model, thread) {
  if (model.besides.has(thread)) return model.besides.get(thread);
  const lines = new Map(), source = model.source.map(code).join("\n");
  model.frames.forEach((frame, at) => {
    if (!frame.threads.has(thread) || !frame.line) return;
    if (!lines.has(frame.line)) {
      const text = code(model.source[frame.line - 1] || "");
      const names = assignedNames(text, source).map((one) => ({ ...one, follows: rounds(text, one.name) }));
      lines.set(frame.line, { names, builtIn: text.match(BUILT_IN), steps: [] });
    }
    const { names, builtIn, steps } = lines.get(frame.line);
    const named = assignedHere(model.assignedIn(at, thread), names, builtIn);
    const touched = touchedHere(model, frame, thread);
    if (named.length || touched.length) steps.push({ at, named, touched });
  });
  model.besides.set(thread, lines);
  return lines;
}

function assignedHere(assigned, names, builtIn) {
  const found = [];
  for (const { name, kind: wanted, follows } of names) {
    const same = assigned.filter((one) => !one.name && kind(one.type) === wanted);
    if (!same.length) continue;
    const value = same[same.length - 1];
    const known = !follows || (same.every((one) => one.full === value.full) && follows(Number(value.full)));
    found.push(known ? { name, text: value.text, full: value.full } : { name });
  }
  for (const one of assigned.filter(({ name }) => name)) {
    found.push({ ...one, name: builtIn && builtIn[2] === one.name ? builtIn[1] : one.name });
  }
  return found;
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
      found.set(name, { name, ...one.values[row * one.each + part] });
    }
  }
  return [...found.values()];
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
