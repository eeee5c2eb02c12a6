import { fileURLToPath } from 'node:url';
import { parseArgs, styleText } from 'node:util';
import type { RequirementStatus } from '../test/requirements/requirement.ts';
import { requirementsBySeed } from '../test/requirements.ts';
import { type FiledCitation, readCitations } from './requirement-citations.ts';
import { findLost, RATCHET, readRatchet, writeRatchet } from './requirement-ratchet.ts';

const USAGE = 'Usage: npm run requirements -- [--missing] [--seed 002] [--prefix S2.FR-1] [--json] [--update] [--help]';

const HELP = `${USAGE}

Shows which clauses of the seed documents are proven by tests, that is cited by proves('…') in a *.test.ts file.

  --missing        list only the required clauses that no test cites yet
  --seed <number>  only the clauses of one seed: ${Object.keys(requirementsBySeed).join(', ')}
  --prefix <id>    only the clauses whose id starts so
  --json           print everything as one JSON object
  --update         write the clauses that are proven now to ${RATCHET}
  --help           print this

Marks: ✓ proven  · not yet  ~ decided otherwise (✓~ and proven)  → future  – out of scope
A citation of a clause that does not exist is an error (exit code 1), and so is a clause in ${RATCHET}
that no test cites any more. An unknown option exits with 2.
`;

const MARKS = { required: '·', 'decided-otherwise': '~', future: '→', 'out-of-scope': '–' } as const;

const COLUMNS = {
  clauses: 'clauses',
  required: 'required',
  proven: 'proven',
  notYet: 'not yet',
  decidedOtherwise: 'decided otherwise',
  future: 'future',
  outOfScope: 'out of scope',
} as const;

type Counts = Record<keyof typeof COLUMNS, number>;

interface ReportedClause {
  readonly id: string;
  readonly seed: string;
  readonly status: RequirementStatus;
  readonly statement: string;
  readonly decision?: string;
  /** `path:line` of each citation. */
  readonly provenBy: readonly string[];
}

function readOptions() {
  try {
    const { values } = parseArgs({
      options: {
        missing: { type: 'boolean', default: false },
        seed: { type: 'string' },
        prefix: { type: 'string', default: '' },
        json: { type: 'boolean', default: false },
        update: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    if (values.seed === undefined || Object.hasOwn(requirementsBySeed, values.seed)) return values;
    console.error(`There is no seed '${values.seed}'.`);
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
  }
  console.error(USAGE);
  return undefined;
}

function reportClauses(citations: readonly FiledCitation[]): ReportedClause[] {
  const citationsOf = Map.groupBy(citations, ({ id }) => id);
  return Object.entries(requirementsBySeed).flatMap(([seed, clauses]) =>
    clauses.map(({ id, status, statement, decision }) => ({
      id,
      seed,
      status,
      statement,
      ...(decision === undefined ? {} : { decision }),
      provenBy: (citationsOf.get(id) ?? []).map(({ file, line }) => `${file}:${line}`),
    })),
  );
}

const isMissing = ({ status, provenBy }: ReportedClause): boolean => status === 'required' && provenBy.length === 0;

function count(clauses: readonly ReportedClause[]): Counts {
  const having = (status: RequirementStatus): number => clauses.filter((clause) => clause.status === status).length;
  const required = having('required');
  const notYet = clauses.filter(isMissing).length;
  return {
    clauses: clauses.length,
    required,
    proven: required - notYet,
    notYet,
    decidedOtherwise: having('decided-otherwise'),
    future: having('future'),
    outOfScope: having('out-of-scope'),
  };
}

function renderTable(rows: readonly (readonly [string, Counts])[]): string[] {
  const keys = Object.keys(COLUMNS) as (keyof Counts)[];
  const row = (label: string, cell: (key: keyof Counts) => string): string =>
    [label.padEnd(5), ...keys.map((key) => cell(key).padStart(COLUMNS[key].length))].join('  ');
  const lines = rows.map(([label, counts]) => row(label, (key) => String(counts[key])));
  const header = row('seed', (key) => COLUMNS[key]);
  return [header, ...lines.slice(0, -1), '─'.repeat(header.length), ...lines.slice(-1)];
}

function renderClauses(clauses: readonly ReportedClause[], width: number, paint: Paint): string[] {
  const idWidth = Math.max(0, ...clauses.map(({ id }) => id.length));
  return [...Map.groupBy(clauses, ({ seed }) => seed)].flatMap(([seed, group]) => [
    paint('bold', `Seed ${seed}`),
    ...group.map((clause) => {
      const proven = clause.provenBy.length > 0;
      const other = clause.status !== 'required';
      const mark = (proven ? '✓' : '') + (other || !proven ? MARKS[clause.status] : '');
      const line = `${mark.padEnd(2)} ${clause.id.padEnd(idWidth)}  ${clause.statement}`;
      const cut = line.length > width ? `${line.slice(0, width - 1)}…` : line;
      return paint(proven ? 'green' : other ? 'dim' : 'yellow', cut);
    }),
    '',
  ]);
}

type Paint = (style: 'bold' | 'dim' | 'green' | 'yellow', text: string) => string;

function main(): number {
  const options = readOptions();
  if (options === undefined) return 2;
  if (options.help) {
    process.stdout.write(HELP);
    return 0;
  }

  const root = fileURLToPath(new URL('..', import.meta.url));
  const citations = readCitations(root);
  const all = reportClauses(citations);
  const known = new Set(all.map(({ id }) => id));
  const unknown = citations.filter(({ id }) => !known.has(id));
  for (const { id, file, line } of unknown) console.error(`${file}:${line}: no clause has the id '${id}'.`);
  const lost = checkRatchet(root, all, options.update);

  const clauses = all.filter(({ id, seed }) => seed === (options.seed ?? seed) && id.startsWith(options.prefix));
  const seeds = [...Map.groupBy(clauses, ({ seed }) => seed)].map(([seed, group]) => [seed, count(group)] as const);
  const total = count(clauses);

  if (options.json) {
    const report = { seeds: seeds.map(([seed, counts]) => ({ seed, ...counts })), total, clauses };
    process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
  } else {
    const colors = process.stdout.isTTY && !process.env['NO_COLOR'];
    const paint: Paint = (style, text) => (colors ? styleText(style, text, { validateStream: false }) : text);
    const listed = options.missing ? clauses.filter(isMissing) : clauses;
    const lines = [
      ...renderClauses(listed, process.stdout.columns || Infinity, paint),
      ...renderTable([...seeds, ['total', total]]),
    ];
    process.stdout.write(`${lines.join('\n')}\n`);
  }

  return unknown.length + lost > 0 ? 1 : 0;
}

/** Updates the ratchet if requested. Reports on standard error, and returns how many of its clauses are no longer proven. */
function checkRatchet(root: string, all: readonly ReportedClause[], isUpdate: boolean): number {
  const proven = all.filter(({ provenBy }) => provenBy.length > 0).map(({ id }) => id);
  if (isUpdate) writeRatchet(root, proven);
  const listed = readRatchet(root);
  const lost = findLost(listed, new Set(proven));
  for (const message of lost) console.error(message);
  const unlisted = proven.length - (listed.length - lost.length);
  if (unlisted > 0)
    console.error(
      `${RATCHET} lacks ${unlisted} of the clauses proven now. Add them with 'npm run requirements -- --update'.`,
    );
  return lost.length;
}

// A reader that closes early, such as `head`, is not a failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});
process.exitCode = main();
