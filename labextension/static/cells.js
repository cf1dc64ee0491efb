/* A cell whose first line is %%cuda is CUDA C++, for as long as it is. */
import { shared } from './shared.js';
import { CUDA } from './language.js';

const { INotebookTracker } = await shared('@jupyterlab/notebook');

/** What a `%%cuda NAME` cell is called; undefined for any other cell. */
export const cudaName = model =>
  model.type === 'code' ? /^\s*%%cuda\b[ \t]*(\w*)/.exec(model.sharedModel.getSource())?.[1] : undefined;

function follow(panel, model) {
  if (model.type !== 'code') return;
  const choose = () => {
    const wanted = cudaName(model) === undefined ? panel.content.codeMimetype : CUDA;
    if (model.mimeType !== wanted && (wanted === CUDA || model.mimeType === CUDA)) {
      model.mimeType = wanted;
    }
  };
  choose();
  model.contentChanged.connect(choose);
  // The notebook gives all cells its kernel's language, whenever it hears of it.
  model.mimeTypeChanged.connect(() => queueMicrotask(choose));
}

export default {
  id: 'warpwise:cells',
  description: 'Cells that begin with %%cuda are edited as CUDA C++.',
  autoStart: true,
  requires: [INotebookTracker],
  activate: (app, notebooks) =>
    notebooks.widgetAdded.connect(async (_, panel) => {
      await panel.context.ready;
      for (const model of panel.model.cells) follow(panel, model);
      panel.model.cells.changed.connect((_, change) => {
        if (change.type === 'add' || change.type === 'set') {
          for (const model of change.newValues) follow(panel, model);
        }
      });
    })
};
