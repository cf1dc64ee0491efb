/* The page that a learner's folder opens with; grader/learner/start_page.py makes it. */
const { shared } = window._JUPYTERLAB.warpwise;

const { MainAreaWidget, ICommandPalette } = await shared('@jupyterlab/apputils');
const { URLExt } = await shared('@jupyterlab/coreutils');
const { ServerConnection } = await shared('@jupyterlab/services');
const { LabIcon } = await shared('@jupyterlab/ui-components');
const { Widget } = await shared('@lumino/widgets');

const COMMAND = 'warpwise:start';
const icon = new LabIcon({
  name: 'warpwise:lanes',
  svgstr: `<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 16 16"><g class="jp-icon3" fill="#616161">
    <rect x="1" y="2" width="3" height="12"/><rect x="6" y="5" width="3" height="9"/><rect x="11" y="8" width="3" height="6"/></g></svg>`
});

/** The page's HTML; undefined where the server's folder is not a learner's. */
async function fetchPage() {
  const settings = ServerConnection.makeSettings();
  const url = URLExt.join(settings.baseUrl, 'warpwise', 'start');
  const response = await ServerConnection.makeRequest(url, {}, settings);
  return response.ok ? (await response.json()).html : undefined;
}

class StartPage extends Widget {
  constructor(open) {
    super();
    this.id = 'warpwise-start';
    this.title.label = 'Start';
    this.title.icon = icon;
    this.addClass('warpwise-start');
    this.node.tabIndex = -1;
    this.node.addEventListener('click', event => {
      const file = event.target.closest('a')?.getAttribute('href');
      if (!file?.endsWith('.ipynb')) return;
      event.preventDefault();
      open(file);
    });
  }

  async refresh() {
    const html = await fetchPage();
    if (html) this.node.innerHTML = html; // our own server's, of our own words
    return Boolean(html);
  }

  onAfterShow() {
    this.refresh();
  }
}

async function begin(app, palette) {
  const open = path => app.commands.execute('docmanager:open', { path });
  const make = async () => {
    const page = new StartPage(open);
    return (await page.refresh()) ? page : undefined;
  };
  let page = await make();
  if (!page) return;
  const execute = async () => {
    if (page.isDisposed) page = await make();
    if (!page) return;
    if (!page.isAttached) app.shell.add(page, 'main', { rank: 0 });
    app.shell.activateById(page.id);
  };
  app.commands.addCommand(COMMAND, { label: 'Warpwise: Start Page', icon, execute });
  palette?.addItem({ command: COMMAND, category: 'Warpwise' });
  await app.restored;
  if (/\/lab\/?$/.test(location.pathname)) await execute();
}

export default {
  id: 'warpwise:start-page',
  description: 'The page a learner starts from.',
  autoStart: true,
  optional: [ICommandPalette],
  activate: (app, palette) => {
    begin(app, palette); // not awaited: JupyterLab waits for its plugins before it shows anything
  }
};
