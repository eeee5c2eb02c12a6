import { parseArgs } from 'node:util';
import { SCENARIOS, type ScenarioName } from './results.ts';

export interface BenchOptions {
  readonly scenarios: readonly ScenarioName[];
  /** 500 timeouts in each tier instead of 50. */
  readonly isFull: boolean;
  /** Installs the peer first. An installed peer is measured in any case, unless this is false. */
  readonly peers: boolean | undefined;
  /** The file for the results; if undefined, bench/results/run.json. */
  readonly json: string | undefined;
  readonly help: boolean;
}

export const HELP: string = `Measures running scripts and handlers, beside a bare spawn of the same programs.

  node bench/run/run.ts [options]

  --only NAME     one scenario, or several with several flags: ${SCENARIOS.join(', ')}
  --full          500 timeouts in each tier instead of 50
  --peers         install execa, once; if it is installed it is always measured
  --no-peers      leave it out
  --json FILE     write the results there, not to bench/results/run.json
  --help          this text

Exit code 1 if a target is missed.
`;

/** Throws on an unknown flag or scenario. */
export function parseOptions(args: string[]): BenchOptions {
  const { values } = parseArgs({
    args,
    allowNegative: true,
    options: {
      only: { type: 'string', multiple: true, default: [] },
      full: { type: 'boolean', default: false },
      peers: { type: 'boolean' },
      json: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const { only, full: isFull, peers, json, help } = values;
  for (const name of only) {
    if (!isScenario(name)) throw new TypeError(`--only takes one of ${SCENARIOS.join(', ')}, not '${name}'`);
  }
  const scenarios = only.length === 0 ? SCENARIOS : SCENARIOS.filter((name) => only.includes(name));
  return { scenarios, isFull, peers, json, help };
}

function isScenario(name: string): name is ScenarioName {
  return (SCENARIOS as readonly string[]).includes(name);
}
