/* The plugins, each in a file of its own. */
import { shared } from './shared.js';
import cells from './cells.js';
import completion from './completion.js';
import facts from './facts_plugin.js';
import language from './language.js';
import links from './links.js';
import predictions from './predictions.js';
import startPage from './start_page.js';
import unready from './unready.js';

const { PageConfig } = await shared('@jupyterlab/coreutils');

const style = document.createElement('link');
style.rel = 'stylesheet';
style.href = `${PageConfig.getOption('fullLabextensionsUrl')}/warpwise/static/style.css`;
document.head.append(style);

export default [language, cells, facts, links, completion, predictions, startPage, unready];
