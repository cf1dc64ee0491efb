/* The links and buttons of cards:
     `#cuda=NAME:LINE` goes to that line of the cell `%%cuda NAME`,
     `#run=NAME` runs that cell, then the one with the card,
     `#hint=NAME` shows the next hint for the exercise NAME on its card. */
const { ours, shared } = window._JUPYTERLAB.warpwise;
const { answerName, cudaName } = await ours('cells.js');

const { INotebookTracker, NotebookActions } = await shared('@jupyterlab/notebook');
const { Notification } = await shared('@jupyterlab/apputils');

async function goTo(panel, name, line) {
  const index = panel.content.widgets.findIndex(cell => cudaName(cell.model) === name);
  if (index < 0) return;
  panel.content.activeCellIndex = index;
  await panel.content.scrollToItem(index, 'smart');
  const cell = panel.content.widgets[index];
  await cell.ready;
  panel.content.mode = 'edit';
  cell.editor.setCursorPosition({ line: line - 1, column: 0 });
  cell.editor.revealPosition({ line: line - 1, column: 0 });
  cell.editor.focus();
}

function run(panel, name, card) {
  const { widgets } = panel.content;
  const missing = widgets.find(cell => answerName(cell.model) === name);
  const here = widgets.find(cell => cell.node.contains(card));
  if (missing) NotebookActions.runCells(panel.content, [missing, here], panel.sessionContext);
  else Notification.warning(`No cell of this notebook has the answer to ${name}.`, { autoClose: 6000 });
}

async function hint(panel, name) {
  const problem = await execute(panel, `from grader.notebook import checking as _c; _c.hint_on_card("${name}"); del _c`);
  if (problem) {
    Notification.warning(`Run check("${name}") again: this kernel does not know the card.`, { autoClose: 6000 });
  }
}

const DOES = {
  cuda: (panel, name, line) => goTo(panel, name, Number(line)),
  run: (panel, name, line, card) => run(panel, name, card),
  hint
};

/** Run code that shows what it makes on a card; true if that is not possible. */
export async function execute(panel, code) {
  const kernel = panel.sessionContext.session?.kernel;
  const done = kernel && (await kernel.requestExecute({ code, silent: true, stop_on_error: false }).done);
  return done?.content.status !== 'ok';
}

/** The notebook that an element on the page belongs to. */
export function panelOf(notebooks, element) {
  return notebooks.find(panel => panel.node.contains(element));
}

export default {
  id: 'warpwise:links',
  description: 'Links from a card to the line it is about, and its buttons.',
  autoStart: true,
  requires: [INotebookTracker],
  activate: (app, notebooks) =>
    document.addEventListener(
      'click',
      event => {
        const link = event.target.closest?.('a[href*="#"]');
        const [, does, name, line] = /#(cuda|run|hint)=(\w+)(?::(\d+))?$/.exec(link?.href) ?? [];
        const panel = name && panelOf(notebooks, link);
        if (!panel) return;
        event.preventDefault();
        event.stopPropagation();
        DOES[does](panel, name, line, link);
      },
      true
    )
};
