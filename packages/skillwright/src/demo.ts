// `skillwright/demo`: a rule-based stand-in for a model, without a key or a network.
import { assertNodeVersion } from './process/node-version.ts';

export { createDemoModel, type DemoModelOptions } from './models/demo/demo-model.ts';

assertNodeVersion();
