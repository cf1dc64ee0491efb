/* After a restart the kernel knows neither %%cuda nor check(): say what to do, and do it. */
const { shared } = window._JUPYTERLAB.warpwise;

const { INotebookTracker, NotebookActions } = await shared('@jupyterlab/notebook');
const { Notification } = await shared('@jupyterlab/apputils');

const MAGIC = 'Cell magic `%%cuda` not found';
const NAMES = /name '(?:bench|check|compare|diff|draw|hint|lesson|np|play|predict|profile|ptx|watch)' is not defined/;

const isUnready = model =>
  model.outputs
    ?.toJSON()
    .some(output => String(output.text ?? '').includes(MAGIC) || NAMES.test(output.evalue ?? ''));

export default {
  id: 'warpwise:unready',
  description: 'Says that the first cell has to be run after a restart.',
  autoStart: true,
  requires: [INotebookTracker],
  activate: (app, notebooks) =>
    NotebookActions.executed.connect((_, { notebook, cell }) => {
      const panel = notebooks.find(one => one.content === notebook);
      const lesson = notebook.model?.getMetadata('warpwise')?.lesson;
      if (!panel || !lesson || !isUnready(cell.model)) return;
      const first = notebook.widgets.find(one => one.model.type === 'code');
      Notification.warning('The kernel has just been started: run the first cell, then this one.', {
        autoClose: 15000,
        actions: [
          {
            label: 'Run both',
            callback: () => NotebookActions.runCells(notebook, [first, cell], panel.sessionContext)
          }
        ]
      });
    })
};
