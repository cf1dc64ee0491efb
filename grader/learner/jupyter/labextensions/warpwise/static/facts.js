/* What the outputs of a notebook say about its %%cuda cells, line by line.

   A card carries it in its output's metadata (grader/notebook/cards.py writes it):

     {"warpwise": {"cell": NAME, "crc": CRC-32 of the source that was run,
                   "marks": [{"line", "column", "severity", "message"}],
                   "counters": {COUNTER: {LINE: number}}, "passed": true | false}}

   Lines count from 1 in the cell, columns from 0. It is shown in cells whose text has that CRC, so
   that nothing is ever said about another text than the one that was run. What a veiled output says
   would answer the question that veils it. */
const { ours } = window._JUPYTERLAB.warpwise;
const { cudaName } = await ours('cells.js');
const { told, veiled } = await ours('veil.js');

const TABLE = Uint32Array.from({ length: 256 }, (_, n) => {
  for (let bit = 0; bit < 8; bit++) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1;
  return n;
});

export function crc32(text) {
  let crc = ~0;
  for (const byte of new TextEncoder().encode(text)) crc = TABLE[(crc ^ byte) & 255] ^ (crc >>> 8);
  return ~crc >>> 0;
}

/** A cell's text as it is run: with a blank line in the magic's place, and no white space at its end. */
export const sourceOf = cell => cell.replace(/^\s*%%cuda\b[^\n]*/, magic => magic.replace(/[^\n]/g, '')).trimEnd();

const NOTHING = { marks: [], counters: {}, passed: undefined };
const known = new WeakMap(); // cell model -> what is said about the cell of that name
const listeners = new WeakMap(); // cell model -> what to call when that changes

/** What is said about the text that the cell holds now. */
export function factsOf(model, text) {
  const about = (known.get(model) ?? []).filter(said => said.crc === crc32(sourceOf(text)));
  if (!about.length) return NOTHING;
  const marks = about.flatMap(said => said.marks ?? []);
  // One for a place: watch() and check() may both have found the same.
  const distinct = new Map(marks.map(mark => [`${mark.line} ${mark.column}`, mark]));
  return {
    marks: [...distinct.values()],
    counters: about.findLast(said => said.counters)?.counters ?? {},
    passed: about.findLast(said => said.passed !== undefined)?.passed
  };
}

export function onFacts(model, listener) {
  listeners.set(model, listener);
  return () => listeners.get(model) === listener && listeners.delete(model);
}

/** Read all outputs of a notebook again. */
export function gather(notebook) {
  const byName = new Map();
  const cells = [...notebook.cells].filter(model => model.type === 'code');
  const hidden = veiled(notebook.cells);
  for (const model of cells) {
    for (const said of hidden.has(model) ? [] : told(model)) {
      if (said.cell) byName.set(said.cell, [...(byName.get(said.cell) ?? []), said]);
    }
  }
  for (const model of cells) {
    const name = cudaName(model);
    if (name === undefined) continue;
    known.set(model, byName.get(name) ?? []);
    listeners.get(model)?.();
  }
}
