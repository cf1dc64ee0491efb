/* CUDA C++ as a language of JupyterLab's editors: its C++ with the words of CUDA on top. */
const { ours, shared } = window._JUPYTERLAB.warpwise;
const { WORDS } = await ours('words.js');

const { IEditorLanguageRegistry } = await shared('@jupyterlab/codemirror');
const { Language, LanguageSupport, forceParsing, syntaxTree } =
  await shared('@codemirror/language');
const { Decoration, MatchDecorator, ViewPlugin, hoverTooltip, keymap } =
  await shared('@codemirror/view');
const { Prec } = await shared('@codemirror/state');
const { Parser } = await shared('@lezer/common');

export const CUDA = 'text/x-cuda';

const MAGIC = /^\s*%%cuda\b[^\n]*/;
// What C++ does not have, and what it parses well without.
const QUALIFIERS =
  /\b__(?:global|device|host|shared|constant|managed|grid_constant|restrict|forceinline|noinline)__\b|\b__launch_bounds__\s*\([^()\n]*\)/g;
const blank = found => found.replace(/[^\n]/g, ' ');

/** `source` as C++ reads it, character by character in the same place. */
export const asCpp = source => source.replace(MAGIC, blank).replace(QUALIFIERS, blank);

class CudaParser extends Parser {
  constructor(cpp) {
    super();
    this.cpp = cpp;
  }

  createParse(input, fragments, ranges) {
    return this.cpp.startParse(asCpp(input.read(0, input.length)), fragments, ranges);
  }
}

const word = kind => Decoration.mark({ class: `warpwise-cuda-${kind}` });
const KINDS = { magic: word('magic'), keyword: word('keyword'), name: word('name') };

const coloured = new MatchDecorator({
  regexp: /%%cuda\b|\b[A-Za-z_]\w*\b/g,
  decorate(add, from, to, [text], view) {
    if (text === '%%cuda') {
      if (view.state.doc.lineAt(from).number === 1) add(from, to, KINDS.magic);
    } else if (WORDS.has(text) && !isProse(view.state, from)) {
      add(from, to, WORDS.get(text).kind === 'keyword' ? KINDS.keyword : KINDS.name);
    }
  }
});

const isProse = (state, at) => /Comment|String/.test(syntaxTree(state).resolveInner(at, 1).name);

const colours = ViewPlugin.define(
  view => ({
    decorations: coloured.createDeco(view),
    update(change) {
      // A comment that opens or closes changes what stands below it.
      if (change.docChanged || change.viewportChanged || syntaxTree(change.startState) !== syntaxTree(change.state))
        this.decorations = coloured.createDeco(change.view);
    }
  }),
  { decorations: plugin => plugin.decorations }
);

const help = hoverTooltip((view, at) => {
  const range = view.state.wordAt(at);
  const found = range && WORDS.get(view.state.sliceDoc(range.from, range.to));
  if (!found || isProse(view.state, at)) return null;
  const dom = Object.assign(document.createElement('div'), {
    className: 'warpwise-help',
    textContent: found.help
  });
  return { pos: range.from, end: range.to, create: () => ({ dom }) };
});

// Who types faster than the text is parsed gets an indented line all the same.
const parsedFirst = keymap.of([
  {
    key: 'Enter',
    run: view => {
      forceParsing(view, view.state.selection.main.head, 1000);
      return false; // the editor's own Enter comes next
    }
  }
]);

async function support(languages) {
  const cpp = await languages.getLanguage('C++');
  const parser = cpp.support.language;
  const cuda = new Language(parser.data, new CudaParser(parser.parser), [], 'cuda');
  return new LanguageSupport(cuda, [cpp.support.support, Prec.high(colours), Prec.highest(parsedFirst), help]);
}

export default {
  id: 'warpwise:language',
  description: 'CUDA C++ as a language of the editors.',
  autoStart: true,
  requires: [IEditorLanguageRegistry],
  activate: (app, languages) =>
    languages.addLanguage({
      name: 'CUDA',
      displayName: 'CUDA C++',
      mime: CUDA,
      extensions: ['cu', 'cuh'],
      load: () => support(languages)
    })
};
