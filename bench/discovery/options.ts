import { parseArgs } from 'node:util';

export interface BenchOptions {
  sizes: number[];
  /** Fresh processes per contender; if undefined, 9 for 10,000 skills and more, 15 below. */
  runs: number | undefined;
  /** Installs the peers first. Installed peers are measured in any case, unless this is false. */
  peers: boolean | undefined;
  keep: boolean;
  json: boolean;
  help: boolean;
}

export const HELP = `Measures how fast skills are found, beside a bare directory walk and other loaders.

  node bench/discovery/run.ts [options]

  --sizes 100,1000   how many skills, one tree each (100,1000,10000)
  --runs N           fresh processes per contender (15; 9 from 10,000 skills)
  --peers            install the other loaders (450 MB, once); installed ones are always measured
  --no-peers         leave them out
  --keep             keep the generated trees and say where they are
  --json             the results as JSON on stdout, nothing else
  --help             this text

Exit code 1 if a target is missed. Results are also written to bench/results/discovery.json.
`;

/** Throws on an unknown flag or a value that is not a count. */
export function parseOptions(args: string[]): BenchOptions {
  const { values } = parseArgs({
    args,
    allowNegative: true,
    options: {
      sizes: { type: 'string', default: '100,1000,10000' },
      runs: { type: 'string' },
      peers: { type: 'boolean' },
      keep: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  return {
    sizes: values.sizes.split(',').map((text) => toCount('--sizes', text)),
    runs: values.runs === undefined ? undefined : toCount('--runs', values.runs),
    peers: values.peers,
    keep: values.keep,
    json: values.json,
    help: values.help,
  };
}

function toCount(flag: string, text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1) throw new TypeError(`${flag} takes whole numbers above 0, not '${text}'`);
  return count;
}
