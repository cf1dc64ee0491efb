/* Which outputs are kept under a veil: those from an unanswered question to the next heading. */
const { ours } = window._JUPYTERLAB.warpwise;
const { cudaName } = await ours('cells.js');

const lifted = new WeakSet(); // cell models whose reader wanted to look

/** Everything that the outputs of a code cell say to the editor; facts.js says what that is. */
export function* told(model) {
  for (let n = 0; n < model.outputs.length; n++) {
    const said = model.outputs.get(n).metadata?.warpwise;
    if (said) yield said;
  }
}

const asksIn = model => [...told(model)].find(said => said.prediction);
const isHeading = model => model.type === 'markdown' && /^#/.test(model.sharedModel.getSource());
// What a learner's own kernel came to answers no question of the page's.
const isOwn = model => cudaName(model) !== undefined || /^\s*check\(/.test(model.sharedModel.getSource());
const failed = model => model.outputs.toJSON().some(output => output.output_type === 'error');

/** The models of the cells whose outputs are not to be seen yet. */
export function veiled(cells) {
  const hidden = new Set();
  let waiting = false;
  for (const model of cells) {
    if (isHeading(model)) waiting = false;
    if (model.type !== 'code') continue;
    const question = asksIn(model);
    const tells = model.outputs.length > 0 && !question && !isOwn(model) && !failed(model);
    if (waiting && tells && !lifted.has(model)) hidden.add(model);
    if (question) waiting = !question.answered;
  }
  return hidden;
}

/** What a cell shows is to be seen from now on. */
export const lift = model => lifted.add(model);
