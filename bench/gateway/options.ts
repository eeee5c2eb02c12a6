import { parseArgs } from 'node:util';

export interface BenchOptions {
  readonly connections: readonly number[];
  readonly rounds: number;
  readonly roundMs: number;
  /** Number of requests after which memory is read. */
  readonly few: number;
  readonly many: number;
  /** Installs the peer first. An installed peer is measured in any case, unless this is false. */
  readonly peers: boolean | undefined;
  /** The file for the results; if undefined, bench/results/gateway.json. */
  readonly json: string | undefined;
  readonly help: boolean;
}

export const HELP: string = `Measures the gateway, beside the upstream alone, a bare Node proxy and Portkey's gateway.

  node bench/gateway/run.ts [options]

  --connections 1,32   requests at a time (1,32,256)
  --full               longer rounds, and memory after 20,000 and 100,000 requests instead of 4,000 and 20,000
  --peers              install Portkey's gateway, once; if it is installed it is always measured
  --no-peers           leave it out
  --json FILE          write the results there, not to bench/results/gateway.json
  --help               this text

Exit code 1 if a target is missed, 2 if the command line is invalid.
`;

/** Throws on an unknown flag and on a value that is not a count. */
export function parseOptions(args: string[]): BenchOptions {
  const { values } = parseArgs({
    args,
    allowNegative: true,
    options: {
      connections: { type: 'string', default: '1,32,256' },
      full: { type: 'boolean', default: false },
      peers: { type: 'boolean' },
      json: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const { connections, full, peers, json, help } = values;
  return {
    connections: connections.split(',').map(toCount),
    rounds: full ? 7 : 5,
    roundMs: full ? 2_000 : 500,
    few: full ? 20_000 : 4_000,
    many: full ? 100_000 : 20_000,
    peers,
    json,
    help,
  };
}

function toCount(text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1) throw new TypeError(`--connections takes whole numbers, not '${text}'`);
  return count;
}
