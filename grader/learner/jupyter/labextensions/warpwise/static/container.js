/* How JupyterLab loads the modules beside this file, and how they load each other.

   JupyterLab runs this script, hands `init` the packages that it shares with extensions (webpack's
   share scope, package -> version -> {get}), and asks `get` for our plugins. A bundler writes such a
   container; this one is written by hand, so that what is served is the source: nothing is built.

   Browsers keep what lies at these addresses for a year. So package.json names this script with a
   hash of all files (`make labextension` writes it), and every module is asked for with the same. */
(() => {
  const here = document.currentScript.src;
  const newestLast = (a, b) => a.localeCompare(b, undefined, { numeric: true });
  let scope;

  const address = name => Object.assign(new URL(name, here), { search: new URL(here).search });

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
    /** A module of ours, as a promise of its exports. */
    ours: name => import(address(name)),
    address,
    async get() {
      const { default: plugins } = await this.ours('plugins.js');
      return () => ({ __esModule: true, default: plugins });
    }
  };
})();
