/* Questions whose choices are links, and what follows a question kept under a veil until then. */
const { ours, shared } = window._JUPYTERLAB.warpwise;
const { withCells, withNotebooks } = await ours('cells.js');
const { gather } = await ours('facts.js');
const { lift, veiled } = await ours('veil.js');
const { execute, panelOf } = await ours('links.js');

const { INotebookTracker } = await shared('@jupyterlab/notebook');
const { IRenderMimeRegistry, RenderedHTML } = await shared('@jupyterlab/rendermime');
const { Notification } = await shared('@jupyterlab/apputils');

const MIME = 'application/vnd.warpwise.html'; // ANSWERABLE of grader/notebook/prediction.py
const VEILED = 'warpwise-veiled';
const WORDS = 'Answer the question above first; or click here to look.';

async function choose(panel, key, number) {
  const code = `from grader.notebook import checking as _p; _p.answer("${key}", ${number}); del _p`;
  if (await execute(panel, code)) {
    Notification.warning('Nothing is known of this question yet: run the first cell, then the question’s.', {
      autoClose: 6000
    });
  }
}

function veil(panel) {
  const hidden = veiled(panel.model.cells);
  for (const { model, node } of panel.content.widgets) hide(node, hidden.has(model));
}

/** The veil is a button, for the keyboard and for screen readers too. */
function hide(node, hides) {
  node.classList.toggle(VEILED, hides);
  const output = node.querySelector('.jp-Cell-outputWrapper');
  const button = { role: 'button', tabindex: '0', 'aria-label': WORDS };
  for (const [name, value] of Object.entries(button)) {
    if (hides) output?.setAttribute(name, value);
    else output?.removeAttribute(name);
  }
  if (output) output.dataset.warpwise = WORDS;
}

function follow(panel) {
  const again = () => veil(panel);
  withCells(panel, model => model.outputs?.changed.connect(again));
  panel.model.cells.changed.connect(again);
  const look = event => {
    const node = event.target.closest(`.${VEILED} .jp-Cell-outputWrapper`)?.closest('.jp-Cell');
    const cell = node && panel.content.widgets.find(widget => widget.node === node);
    if (!cell || (event.type === 'keydown' && event.key !== 'Enter' && event.key !== ' ')) return;
    event.preventDefault();
    event.stopPropagation(); // Enter would begin to edit the cell
    lift(cell.model);
    again();
    gather(panel.model);
  };
  panel.content.node.addEventListener('click', look);
  panel.content.node.addEventListener('keydown', look, true);
  again();
}

export default {
  id: 'warpwise:predictions',
  description: 'Questions that are answered in the page, and remembered.',
  autoStart: true,
  requires: [INotebookTracker, IRenderMimeRegistry],
  activate(app, notebooks, rendermime) {
    const factory = { safe: true, mimeTypes: [MIME], createRenderer: options => new RenderedHTML(options) };
    rendermime.addFactory(factory, -10);
    withNotebooks(notebooks, follow);
    document.addEventListener(
      'click',
      event => {
        const link = event.target.closest?.('a[href*="#predict="]');
        const [, key, number] = /#predict=(\w+):(\d+)$/.exec(link?.href) ?? [];
        const panel = key && panelOf(notebooks, link);
        if (!panel) return;
        event.preventDefault();
        event.stopPropagation();
        choose(panel, key, number);
      },
      true
    );
  }
};
