/* Tab in a CUDA cell: words of CUDA, and what the cell declares, each with a line of help. */
const { ours, shared } = window._JUPYTERLAB.warpwise;
const { CUDA } = await ours('language.js');
const { WORDS } = await ours('words.js');

const { ICompletionProviderManager } = await shared('@jupyterlab/completer');

const KERNEL = /__global__[^(;{]*?\b([A-Za-z_]\w*)\s*\(([^)]*)\)/g;
const DECLARED = /\b([A-Za-z_][\w:<>]*(?:\s*[*&])?)\s+([A-Za-z_]\w*)\s*(?=[=;[,)])/g;
const NO_TYPES = new Set(['return', 'else', 'new', 'delete', 'goto', 'case', 'typename', 'using']);

const oneLine = text => text.replace(/\s+/g, ' ').trim();

/** Name -> help for the kernels of a source, their parameters, and the variables. */
export function declared(source) {
  const text = source.replace(/\/\/[^\n]*|\/\*[^]*?\*\//g, ' ');
  const found = new Map();
  for (const [, type, name] of text.matchAll(DECLARED)) {
    if (!NO_TYPES.has(type)) found.set(name, `${oneLine(type)}, declared in this cell`);
  }
  for (const [, kernel, list] of text.matchAll(KERNEL)) {
    for (const parameter of list.split(',')) {
      const name = /([A-Za-z_]\w*)\s*(?:\[\s*\])?\s*$/.exec(parameter)?.[1];
      if (name) found.set(name, `${oneLine(parameter)}, parameter of ${kernel}`);
    }
    found.set(kernel, 'the kernel of this cell');
  }
  return found;
}

function fetch(request) {
  const [start] = /\w*$/.exec(request.text.slice(0, request.offset)) ?? [''];
  const found = declared(request.text);
  const items = [
    ...[...found].map(([label, help]) => ({ label, type: 'variable', documentation: help })),
    ...[...WORDS]
      .filter(([label]) => !found.has(label))
      .map(([label, { kind, help }]) => ({ label, type: kind, documentation: help }))
  ].filter(item => item.label.toLowerCase().startsWith(start.toLowerCase()));
  return { start: request.offset - start.length, end: request.offset, items };
}

export default {
  id: 'warpwise:completion',
  description: 'Completion of CUDA names in CUDA cells.',
  autoStart: true,
  requires: [ICompletionProviderManager],
  activate: (app, completers) =>
    completers.registerProvider({
      identifier: 'warpwise:cuda',
      rank: 2000,
      renderer: null,
      isApplicable: async context => context.editor?.model.mimeType === CUDA,
      fetch: async request => fetch(request)
    })
};
