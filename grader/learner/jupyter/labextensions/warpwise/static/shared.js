/** A package of JupyterLab's own, as a promise of its exports: see container.js. */
export const shared = name => window._JUPYTERLAB.warpwise.shared(name);
