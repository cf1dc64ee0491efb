/* A cell whose first line is %%cuda is CUDA C++, for as long as it is. */
const { ours, shared } = window._JUPYTERLAB.warpwise;
const { CUDA } = await ours('language.js');

const { IEditorLanguageRegistry } = await shared('@jupyterlab/codemirror');
const { INotebookTracker } = await shared('@jupyterlab/notebook');

/** The name of a `%%cuda NAME` or `%%answer NAME` cell; undefined for any other cell. */
export const answerName = model =>
  model.type === 'code' ? /^\s*%%(?:cuda|answer)\b[ \t]*(\w*)/.exec(model.sharedModel.getSource())?.[1] : undefined;

/** What a `%%cuda NAME` cell is called; undefined for any other cell. */
export const cudaName = model =>
  model.type === 'code' ? /^\s*%%cuda\b[ \t]*(\w*)/.exec(model.sharedModel.getSource())?.[1] : undefined;

function follow(languages, panel, model) {
  if (model.type !== 'code') return;
  // An editor takes on the language that has been loaded last, not the one asked for last: so ask
  // for ours when the one before has arrived.
  const choose = async () => {
    await languages.getLanguage(model.mimeType);
    await languages.getLanguage(CUDA);
    const wanted = cudaName(model) === undefined ? panel.content.codeMimetype : CUDA;
    if (model.mimeType !== wanted && (wanted === CUDA || model.mimeType === CUDA)) {
      model.mimeType = wanted;
    }
  };
  choose();
  model.contentChanged.connect(choose);
  // The notebook gives all cells its kernel's language, whenever it hears of it.
  model.mimeTypeChanged.connect(choose);
}

/** Call `each` with every notebook that is open or will be, once its cells are there. */
export function withNotebooks(notebooks, each) {
  const whenReady = panel => panel.context.ready.then(() => each(panel));
  notebooks.forEach(whenReady);
  notebooks.widgetAdded.connect((_, panel) => whenReady(panel));
}

/** Call `each` with every cell's model that a notebook has or gets. */
export function withCells(panel, each) {
  for (const model of panel.model.cells) each(model);
  panel.model.cells.changed.connect((_, change) => {
    if (change.type === 'add' || change.type === 'set') change.newValues.forEach(each);
  });
}

export default {
  id: 'warpwise:cells',
  description: 'Cells that begin with %%cuda are edited as CUDA C++.',
  autoStart: true,
  requires: [INotebookTracker, IEditorLanguageRegistry],
  activate: (app, notebooks, languages) =>
    withNotebooks(notebooks, panel => withCells(panel, model => follow(languages, panel, model)))
};
