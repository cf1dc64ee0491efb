/* The plugins, each in a file of its own. */
const { address, ours } = window._JUPYTERLAB.warpwise;
const NAMES = ['language', 'cells', 'facts_plugin', 'links', 'completion', 'predictions', 'start_page', 'unready'];
const modules = await Promise.all(NAMES.map(name => ours(`${name}.js`)));

const style = document.createElement('link');
style.rel = 'stylesheet';
style.href = address('style.css');
document.head.append(style);

export default modules.map(module => module.default);
