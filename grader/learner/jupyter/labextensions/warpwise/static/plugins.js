/* The plugins, each in a file of its own. */
const { address, ours } = window._JUPYTERLAB.warpwise;
const { default: cells } = await ours('cells.js');
const { default: completion } = await ours('completion.js');
const { default: facts } = await ours('facts_plugin.js');
const { default: language } = await ours('language.js');
const { default: links } = await ours('links.js');
const { default: predictions } = await ours('predictions.js');
const { default: startPage } = await ours('start_page.js');
const { default: unready } = await ours('unready.js');

const style = document.createElement('link');
style.rel = 'stylesheet';
style.href = address('style.css');
document.head.append(style);

export default [language, cells, facts, links, completion, predictions, startPage, unready];
