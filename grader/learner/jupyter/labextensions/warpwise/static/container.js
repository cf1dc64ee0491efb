/* How JupyterLab loads the modules beside this file.

   JupyterLab runs this script, hands `init` the packages that it shares with extensions (webpack's
   share scope, package -> version -> {get}), and asks `get` for our plugins. A bundler writes such a
   container; this one is written by hand, so that what is served is the source: nothing is built. */
(() => {
  const here = document.currentScript.src;
  const newestLast = (a, b) => a.localeCompare(b, undefined, { numeric: true });
  let scope;

  window._JUPYTERLAB ??= {};
  window._JUPYTERLAB.warpwise = {
    init(shared) {
      scope = shared;
    },
    /** A package of JupyterLab's own, as a promise of its exports. */
    async shared(name) {
      const newest = Object.keys(scope[name]).sort(newestLast).at(-1);
      return (await scope[name][newest].get())();
    },
    async get() {
      const { default: plugins } = await import(new URL('plugins.js', here));
      return () => ({ __esModule: true, default: plugins });
    }
  };
})();
