import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findCitations, readCitations } from '../../scripts/requirement-citations.ts';
import { findLost, readRatchet, writeRatchet } from '../../scripts/requirement-ratchet.ts';
import { type RequirementId, requirements, requirementsBySeed } from '../requirements.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));

describe('the manifest', () => {
  const ids = requirements.map(({ id }) => id);

  it('has at least as many clauses as at its first count', () => {
    expect(requirements.length).toBeGreaterThanOrEqual(581);
  });

  it('uses every id once', () => {
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  });

  it('files every clause under the seed its id names', () => {
    const misfiled = Object.entries(requirementsBySeed).flatMap(([seed, clauses]) =>
      clauses.filter(({ id }) => !id.startsWith(`S${Number(seed)}.`)),
    );
    expect(misfiled).toEqual([]);
  });

  it('has only the known fields in its clauses', () => {
    const fields = new Set(requirements.flatMap((clause) => Object.keys(clause)));
    expect([...fields].sort()).toEqual(['decision', 'id', 'level', 'statement', 'status']);
  });

  it('records every decision that differs from a clause', () => {
    const unexplained = requirements.filter(
      ({ status, decision }) => status === 'decided-otherwise' && !decision?.trim(),
    );
    expect(unexplained).toEqual([]);
  });

  it('makes a misspelled id a compile error', () => {
    // @ts-expect-error: there is no such clause
    const misspelt: RequirementId = 'S0.goal.dircetory';
    expect(ids).not.toContain(misspelt);
  });
});

describe('citations', () => {
  it('refer only to existing clauses', () => {
    const known = new Set<string>(requirements.map(({ id }) => id));
    expect(readCitations(repository).filter(({ id }) => !known.has(id))).toEqual([]);
  });

  it('are found on one line, in any quotes', () => {
    expect(findCitations("it('x', () => { proves('S0.a', \"S0.b\", `S0.c`); });")).toEqual([
      { id: 'S0.a', line: 1 },
      { id: 'S0.b', line: 1 },
      { id: 'S0.c', line: 1 },
    ]);
  });

  it('are found over several lines, each with its own line number', () => {
    const source = ['proves(', "  'S0.a',", "  // 'S0.old',", "  'S0.b',", ');', "proves('S0.c');"].join('\n');
    expect(findCitations(source)).toEqual([
      { id: 'S0.a', line: 2 },
      { id: 'S0.b', line: 4 },
      { id: 'S0.c', line: 6 },
    ]);
  });

  it.each([
    ['a line comment', "// proves('S0.a');"],
    ['a comment after code', "run(); // proves('S0.a');"],
    ['a block comment', "/*\n proves('S0.a');\n*/"],
    ['a string', `const text = "proves('S0.a')";`],
    ['a template', "const text = `\nproves('S0.a')\n`;"],
    ['a regular expression', "const pattern = /proves('S0.a')/;"],
    ['the declaration', "function proves('S0.a') {}"],
    ['a method of that name', "theorem.proves('S0.a');"],
    ['a longer name', "disproves('S0.a');"],
  ])('are ignored in %s', (_where, source) => {
    expect(findCitations(source)).toEqual([]);
  });

  it.each([
    ['an apostrophe in a comment', "// it's\nproves('S0.a');"],
    ['a quote in a regular expression', "const quote = /['\"`/*]/;\nproves('S0.a');"],
    ['a division', "const half = total / 2; // it's / odd\nproves('S0.a');"],
    ['an address in a string', "const url = 'http://x';\nproves('S0.a');"],
    ['nested templates', "const t = `a ${x.map((y) => { return `'${y}`; })} '`;\nproves('S0.a');"],
  ])('are found after %s', (_what, source) => {
    expect(findCitations(source)).toEqual([{ id: 'S0.a', line: 2 }]);
  });

  it('are found inside a substitution of a template', () => {
    expect(findCitations("const t = `${proves('S0.a')}`;")).toEqual([{ id: 'S0.a', line: 1 }]);
  });

  it('keep an argument that is not a literal as written, so that it matches no clause', () => {
    expect(findCitations("proves(...ids, pick('S0.a', 1))")).toEqual([
      { id: '...ids', line: 1 },
      { id: 'pick(S0.a,1)', line: 1 },
    ]);
  });

  it('are collected from the tests of packages and apps, but not from installed or built files', () => {
    const root = mkdtempSync(join(tmpdir(), 'citations-'));
    onTestFinished(() => rmSync(root, { recursive: true }));
    const cited = [
      'apps/web/deep/a.test.ts',
      'packages/x/src/b.test.ts',
      'packages/x/test/c.test.ts',
      'test/d/e.test.ts',
    ];
    const ignored = [
      'packages/x/src/plain.ts',
      'packages/x/other.test.ts',
      'apps/web/node_modules/y/z.test.ts',
      'apps/web/dist/z.test.ts',
    ];
    for (const file of [...cited, ...ignored]) {
      mkdirSync(join(root, dirname(file)), { recursive: true });
      writeFileSync(join(root, file), "proves('S0.a');\n");
    }
    expect(readCitations(root)).toEqual(cited.map((file) => ({ id: 'S0.a', line: 1, file })));
  });
});

describe('the ratchet', () => {
  const known = new Set<string>(requirements.map(({ id }) => id));

  it('has only clauses that a test still cites', () => {
    expect(findLost(readRatchet(repository), new Set(readCitations(repository).map(({ id }) => id)))).toEqual([]);
  });

  it('has hundreds of clauses, all of which exist, without duplicates', () => {
    const listed = readRatchet(repository);
    expect(listed.length).toBeGreaterThan(400);
    expect(listed.filter((id, index) => !known.has(id) || listed.indexOf(id) !== index)).toEqual([]);
  });

  it('names clauses that are no longer cited, and says what to do', () => {
    const [message, ...others] = findLost(['S0.a', 'S0.b', 'S0.c'], new Set(['S0.a', 'S0.c', 'S0.d']));
    expect(others).toEqual([]);
    expect(message).toContain("'S0.b'");
    expect(message).toContain('npm run requirements -- --update');
  });

  it('keeps its contents when it is written and read', () => {
    const root = mkdtempSync(join(tmpdir(), 'ratchet-'));
    onTestFinished(() => rmSync(root, { recursive: true }));
    mkdirSync(join(root, 'test/requirements'), { recursive: true });
    writeRatchet(root, ['S0.a', 'S0.b']);
    expect(readRatchet(root)).toEqual(['S0.a', 'S0.b']);
  });
});

type Counts = Record<
  'clauses' | 'required' | 'proven' | 'notYet' | 'decidedOtherwise' | 'future' | 'outOfScope',
  number
>;

interface Report {
  seeds: unknown[];
  total: Counts;
  clauses: { id: string; status: string; provenBy: string[] }[];
}

describe('npm run requirements', () => {
  const run = (...options: string[]) =>
    spawnSync(process.execPath, ['scripts/requirements.ts', ...options], { cwd: repository, encoding: 'utf8' });
  const readReport = (...options: string[]): Report => JSON.parse(run('--json', ...options).stdout) as Report;

  it('lists every clause and ends with a table of eight lines', () => {
    const { stdout, status } = run();
    const lines = stdout.trimEnd().split('\n');
    expect(status).toBe(0);
    expect(lines.at(-8)).toMatch(/^seed +clauses +required +proven +not yet/);
    expect(lines.at(-1)).toMatch(new RegExp(`^total +${requirements.length} `));
    expect(lines.filter((line) => /^[✓·~→–]/.test(line))).toHaveLength(requirements.length);
    expect(stdout).not.toContain('\u001B');
  });

  it('prints the requested clauses as JSON, with counts that add up', () => {
    const { total, seeds, clauses } = readReport('--seed', '002', '--prefix', 'S2.FR-');
    expect(seeds).toEqual([{ seed: '002', ...total }]);
    expect(total.clauses).toBe(clauses.length);
    expect(total.required + total.decidedOtherwise + total.future + total.outOfScope).toBe(total.clauses);
    expect(total.proven + total.notYet).toBe(total.required);
    expect(clauses[0]).toMatchObject({ id: 'S2.FR-1.1.order', seed: '002', provenBy: expect.any(Array) as unknown });
  });

  it('--missing lists only required clauses that no test cites', () => {
    const { clauses } = readReport();
    const missing = clauses.filter(({ status, provenBy }) => status === 'required' && provenBy.length === 0);
    const listed = run('--missing').stdout.match(/(?<=^· +)\S+/gm) ?? [];
    expect(listed).toEqual(missing.map(({ id }) => id));
  });

  it.each([['--bogus'], ['--seed', '009'], ['stray']])('rejects %s with a usage line', (...options) => {
    const { status, stdout, stderr } = run(...options);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain('Usage: ');
  });
});
