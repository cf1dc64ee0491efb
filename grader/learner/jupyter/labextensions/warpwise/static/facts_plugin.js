/* Errors and hazards underlined where they are, and numbers in the margin. */
const { ours, shared } = window._JUPYTERLAB.warpwise;
const { withCells, withNotebooks } = await ours('cells.js');
const { factsOf, gather, onFacts } = await ours('facts.js');

const { INotebookTracker } = await shared('@jupyterlab/notebook');
const { EditorExtensionRegistry, IEditorExtensionRegistry } = await shared('@jupyterlab/codemirror');
const { Decoration, EditorView, GutterMarker, ViewPlugin, gutter, showPanel } = await shared('@codemirror/view');
const { StateEffect, StateField } = await shared('@codemirror/state');

const changed = StateEffect.define(); // the outputs say something else
const chosen = StateEffect.define(); // the reader wants another counter

const CHOICE = 'warpwise:counter';
const PREFERRED = 'inst_executed';

class Amount extends GutterMarker {
  constructor(text) {
    super();
    this.text = text;
  }

  eq(other) {
    return other.text === this.text;
  }

  toDOM() {
    return document.createTextNode(this.text);
  }
}

function underline(doc, { line, column, severity, message }) {
  if (line < 1 || line > doc.lines) return [];
  const { from, text } = doc.line(line);
  const start = column ?? text.length - text.trimStart().length;
  const length = column == null ? text.trim().length : (/^\w+|^./.exec(text.slice(column)) ?? ' ')[0].length;
  const to = Math.min(from + start + length, from + text.length);
  if (from + start >= to) return [];
  const mark = Decoration.mark({
    class: `warpwise-${severity}`,
    attributes: { title: message, 'aria-invalid': 'true' }
  });
  return [mark.range(from + start, to)];
}

function shownFor(model, doc) {
  const facts = factsOf(model, doc.toString());
  const names = Object.keys(facts.counters);
  const wish = localStorage.getItem(CHOICE) ?? PREFERRED;
  return {
    marks: Decoration.set(facts.marks.flatMap(mark => underline(doc, mark)), true),
    counters: facts.counters,
    passed: facts.passed,
    counter: names.includes(wish) ? wish : names[0]
  };
}

/** Below the code: which counter the margin shows. */
function chooser(names, current, view) {
  const dom = document.createElement('div');
  dom.className = 'warpwise-counters';
  const select = document.createElement('select');
  select.append(...names.map(name => new Option(name.replaceAll('_', ' '), name, false, name === current)));
  select.onchange = () => {
    localStorage.setItem(CHOICE, select.value);
    view.dispatch({ effects: chosen.of(null) });
  };
  const label = document.createElement('label');
  label.append('In the margin, of the last run: ', select);
  dom.append(label);
  return { dom };
}

function extension(model) {
  const field = StateField.define({
    create: state => shownFor(model, state.doc),
    update: (value, change) =>
      change.docChanged || change.effects.some(effect => effect.is(changed) || effect.is(chosen))
        ? shownFor(model, change.newDoc)
        : value,
    provide: self => [
      EditorView.decorations.from(self, value => value.marks),
      EditorView.editorAttributes.from(self, value => ({
        class: value.passed === true ? 'warpwise-passed' : ''
      })),
      showPanel.from(self, ({ counters, counter }) =>
        counter ? view => chooser(Object.keys(counters), counter, view) : null
      )
    ]
  });
  const margin = gutter({
    class: 'warpwise-margin',
    lineMarker(view, block) {
      const { counters, counter } = view.state.field(field);
      const amount = counters[counter]?.[view.state.doc.lineAt(block.from).number];
      return amount ? new Amount(amount.toLocaleString('en')) : null;
    },
    lineMarkerChange: change => change.startState.field(field) !== change.state.field(field)
  });
  return [field, margin, follows(model)];
}

const follows = model =>
  ViewPlugin.define(view => {
    const forget = onFacts(model, () => view.dispatch({ effects: changed.of(null) }));
    return { destroy: forget };
  });

function watchOutputs(panel) {
  const again = () => gather(panel.model);
  withCells(panel, model => model.outputs?.changed.connect(again));
  panel.model.cells.changed.connect(again);
  again();
}

export default {
  id: 'warpwise:facts',
  description: 'Shows in %%cuda cells what was found out about them.',
  autoStart: true,
  requires: [INotebookTracker, IEditorExtensionRegistry],
  activate(app, notebooks, editors) {
    editors.addExtension({
      name: 'warpwise:facts',
      factory: ({ model }) =>
        model.type === 'code' ? EditorExtensionRegistry.createImmutableExtension(extension(model)) : null
    });
    withNotebooks(notebooks, watchOutputs);
  }
};
