/* The links of cards: `#cuda=NAME:LINE` goes to that line of the cell `%%cuda NAME`. */
const { ours, shared } = window._JUPYTERLAB.warpwise;
const { cudaName } = await ours('cells.js');

const { INotebookTracker } = await shared('@jupyterlab/notebook');

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

/** The notebook that an element on the page belongs to. */
export function panelOf(notebooks, element) {
  return notebooks.find(panel => panel.node.contains(element));
}

export default {
  id: 'warpwise:links',
  description: 'Links from a card to the line it is about.',
  autoStart: true,
  requires: [INotebookTracker],
  activate: (app, notebooks) =>
    document.addEventListener(
      'click',
      event => {
        const link = event.target.closest?.('a[href*="#cuda="]');
        const [, name, line] = /#cuda=(\w+):(\d+)$/.exec(link?.href) ?? [];
        const panel = name && panelOf(notebooks, link);
        if (!panel) return;
        event.preventDefault();
        event.stopPropagation();
        goTo(panel, name, Number(line));
      },
      true
    )
};
