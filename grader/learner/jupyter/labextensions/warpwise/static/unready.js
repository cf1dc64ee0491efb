/* After a restart the kernel does not know %%cuda, %%answer and check(): say what to do, and do it. */
const { ours, shared } = window._JUPYTERLAB.warpwise;
const { panelOf } = await ours('links.js');

const { INotebookTracker, NotebookActions } = await shared('@jupyterlab/notebook');
const { Notification } = await shared('@jupyterlab/apputils');

const MAGIC = /Cell magic `%%(?:cuda|answer)` not found/;
const NAMES = /name '(?:bench|check|compare|diff|draw|hint|lesson|np|play|predict|profile|ptx|watch)' is not defined/;
const TO_DO = 'The kernel has just been started: run the first cell, then this one.';
const NOTICE = {
  output_type: 'display_data',
  data: {
    'text/html': `<p class="warpwise-unready">${TO_DO} <a href="#run-both">Run both</a></p>`,
    'text/plain': TO_DO
  },
  metadata: {}
};
let toast = '';

const isUnready = model =>
  model.outputs
    ?.toJSON()
    .some(output => MAGIC.test(output.text ?? '') || NAMES.test(output.evalue ?? ''));

/** The first cell, and all that have failed for want of it. */
function runBoth({ content, sessionContext }) {
  Notification.dismiss(toast);
  const first = content.widgets.find(one => one.model.type === 'code');
  const failed = content.widgets.filter(one => one !== first && isUnready(one.model));
  NotebookActions.runCells(content, [first, ...failed], sessionContext);
}

/** What to do stands above the traceback, and once as a toast: that of the last cell that failed. */
function tell(panel, cell) {
  cell.model.outputs.fromJSON([NOTICE, ...cell.model.outputs.toJSON()]);
  Notification.dismiss(toast);
  const actions = [{ label: 'Run both', callback: () => runBoth(panel) }];
  toast = Notification.warning(TO_DO, { autoClose: 15000, actions });
}

export default {
  id: 'warpwise:unready',
  description: 'Says that the first cell has to be run after a restart.',
  autoStart: true,
  requires: [INotebookTracker],
  activate: (app, notebooks) => {
    NotebookActions.executed.connect((_, { notebook, cell }) => {
      const panel = notebooks.find(one => one.content === notebook);
      const lesson = notebook.model?.getMetadata('warpwise')?.lesson;
      if (panel && lesson && isUnready(cell.model)) tell(panel, cell);
    });
    document.addEventListener(
      'click',
      event => {
        const link = event.target.closest?.('a[href$="#run-both"]');
        const panel = link && panelOf(notebooks, link);
        if (!panel) return;
        event.preventDefault();
        event.stopPropagation();
        runBoth(panel);
      },
      true
    );
  }
};
