import { parseArgs } from 'node:util';

export interface BenchOptions {
  readonly sizes: readonly number[];
  /** A labeled set of your own: both files or neither. */
  readonly files: { readonly pool: string; readonly queries: string } | undefined;
  /** Installs the peers first. Installed peers are measured in any case, unless this is false. */
  readonly peers: boolean | undefined;
  /** Another checkout of this repository, whose ranker is measured beside this one. */
  readonly earlier: string | undefined;
  readonly json: boolean;
  readonly help: boolean;
}

export const HELP: string = `Measures how well and how fast skills are chosen for a task, beside search libraries.

  node bench/select/run.ts [options]

  --pool FILE        skills, one JSON object a line: id ("source:name"), name, description, tags, body_excerpt
  --queries FILE     tasks, one JSON object a line: query, relevant, negative_for, source, mentions_name
  --sizes 100,1000   how many skills speed is measured with (100,1000,10000); 0 leaves speed out
  --earlier DIR      measure the ranker of another checkout of this repository beside this one
  --peers            install MiniSearch and Orama (once); installed ones are always measured
  --no-peers         leave them out
  --json             the results as JSON on stdout, nothing else
  --help             this text

Exit code 1 if a target is missed. Results are also written to bench/results/select.json.
`;

/** Throws on an unknown flag, a value that is not a count, or one of the two files without the other. */
export function parseOptions(args: string[]): BenchOptions {
  const { values } = parseArgs({
    args,
    allowNegative: true,
    options: {
      pool: { type: 'string' },
      queries: { type: 'string' },
      sizes: { type: 'string', default: '100,1000,10000' },
      earlier: { type: 'string' },
      peers: { type: 'boolean' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const { pool, queries } = values;
  if ((pool === undefined) !== (queries === undefined)) throw new TypeError('--pool and --queries go together');
  return {
    sizes: values.sizes
      .split(',')
      .map(toCount)
      .filter((size) => size > 0),
    files: pool === undefined || queries === undefined ? undefined : { pool, queries },
    earlier: values.earlier,
    peers: values.peers,
    json: values.json,
    help: values.help,
  };
}

function toCount(text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 0) throw new TypeError(`--sizes takes whole numbers, not '${text}'`);
  return count;
}
