import { describe, expect, it } from 'vitest';
import { createRanker } from '../../../packages/skillwright/src/select/ranking/create-ranker.ts';
import type { RankableSkill, Ranker } from '../../../packages/skillwright/src/spec/ranker.ts';

const SKILLS: readonly RankableSkill[] = [
  {
    id: 'pdf',
    name: 'pdf-forms',
    description: 'Fill in PDF forms and extract tables from them.',
    tags: ['documents'],
    body: '# PDF\n\n## Flattening\nUse `pdftk` or acroform fields; call flattenFields() at the end.',
  },
  {
    id: 'deploy',
    name: 'deploy-staging',
    description: 'Roll a release out to the staging cluster. Do NOT use for production rollbacks (prod-rollback).',
    tags: ['kubernetes'],
    body: 'Run helm upgrade, wait for the pods, watch readiness.',
  },
  {
    id: 'sql',
    name: 'sqlMigrations',
    description: 'Plan schema migrations for PostgreSQL without downtime.',
    whenToUse: 'When a column is renamed or a table is split.',
  },
  { id: 'zh', name: 'invoice-zh', description: '从发票中提取金额和日期，并生成表格。' },
  { id: 'es', name: 'traduccion', description: 'Traducción de artículos técnicos al español, con glosario.' },
  { id: 'net', name: 'aspnet-upgrade', description: 'Upgrade .NET services written in C# to the next version.' },
];

const ids = (ranker: Ranker, task: string): string[] => ranker.rank(task).map(({ id }) => id);
const first = (task: string): string | undefined => ids(createRanker(SKILLS), task)[0];

describe('the lexical ranker', () => {
  it.each([
    ['migrating the schema of a table', 'sql'],
    ['rename a column', 'sql'],
    ['sql migration', 'sql'],
    ['how do I flatten fields with pdftk?', 'pdf'],
    ['flatten_fields', 'pdf'],
    ['release to our kubernetes cluster', 'deploy'],
    ['发票金额', 'zh'],
    ['traduccion de un articulo tecnico', 'es'],
    ['TRADUCCIÓN de artículos', 'es'],
    ['our C# code on .NET', 'net'],
  ])('finds for %j the skill %s first', (task, expected) => {
    expect(first(task)).toBe(expected);
  });

  it('counts a compound such as toolCall as one word, and its parts as one phrase', () => {
    const ranker = createRanker([{ id: 'a', name: 'calls', description: 'Traces every toolCall of an agent.' }]);
    const phrases = (task: string): (readonly string[])[] =>
      (ranker.rank(task, { threshold: 0 })[0]?.reasons ?? [])
        .filter(({ rule }) => rule === 'phrase')
        .map(({ terms }) => terms);
    expect(phrases('toolCall')).toEqual([['tool call']]);
    expect(phrases('tool call')).toEqual([['tool call']]);
    expect(phrases('every toolCall')).toEqual([['everi toolcall', 'tool call']]);
  });

  it('returns nothing if nothing fits', () => {
    const ranker = createRanker(SKILLS);
    expect(ranker.rank('Who painted the ceiling of the Sistine Chapel?')).toEqual([]);
    expect(ranker.rank('help me please with something')).toEqual([]);
  });

  it('is more confident about a task that the skill covers than about one that it only touches', () => {
    const ranker = createRanker(SKILLS);
    const sure = ranker.rank('fill in pdf forms and extract tables')[0]?.confidence ?? 0;
    const unsure =
      ranker.rank('pick a birthday present, a restaurant and some music for a party, and print a pdf', {
        threshold: 0,
      })[0]?.confidence ?? 1;
    expect(sure).toBeGreaterThan(0.5);
    expect(unsure).toBeLessThan(sure / 3);
    for (const { confidence } of ranker.rank('pdf tables', { threshold: 0 })) {
      expect(confidence).toBeGreaterThanOrEqual(0);
      expect(confidence).toBeLessThanOrEqual(1);
    }
  });

  it('explains a score by rules, fields and words that add up to it', () => {
    const [best] = createRanker(SKILLS).rank('extract tables from pdf forms');
    const sum = best?.reasons.reduce((total, { points }) => total + points, 0);
    expect(sum).toBeCloseTo(best?.score ?? 0, 3);
    expect(best?.reasons).toContainEqual(
      expect.objectContaining({
        rule: 'words',
        field: 'name',
        terms: expect.arrayContaining(['pdf', 'form']) as string[],
      }),
    );
    expect(best?.reasons.map(({ rule }) => rule)).toEqual(expect.arrayContaining(['phrase', 'name']));
  });

  it('reports that the body of a skill is not indexed', () => {
    const ranker = createRanker(SKILLS);
    expect(ranker.rank('schema migrations')[0]?.reasons.map(({ rule }) => rule)).toContain('body-pending');
    expect(ranker.rank('pdf forms')[0]?.reasons.map(({ rule }) => rule)).not.toContain('body-pending');
    expect(ranker.bodiesIndexed).toBe(2);
  });

  it('does not return a skill that says it is not for the task', () => {
    const ranker = createRanker(SKILLS);
    expect(ids(ranker, 'production rollbacks')).not.toContain('deploy');
    const partly = ranker
      .rank('roll the release out to the staging cluster with helm on kubernetes, and think of rollbacks')
      .find(({ id }) => id === 'deploy');
    expect(partly?.reasons.find(({ rule }) => rule === 'out-of-scope')?.points).toBeLessThan(0);
  });

  it('does not return a skill whose table assigns the task to another', () => {
    const rows = [
      '| Request | Skill |',
      '| --- | --- |',
      '| Build a payment form from the mockup | `implement` |',
      '| The button padding is wrong | this skill |',
    ];
    const polish = { id: 'polish', name: 'polish-ui', description: 'Change how an existing page looks.' };
    const ranker = createRanker([...SKILLS, { ...polish, body: rows.join('\n') }]);
    expect(ids(ranker, 'build the payment form from this mockup')).not.toContain('polish');
    expect(ids(ranker, 'the button padding of this page is wrong')[0]).toBe('polish');
    const named = createRanker([...SKILLS, { ...polish, body: rows.join('\n').replace('this skill', '`polish-ui`') }]);
    expect(ids(named, 'build the payment form from this mockup')[0]).toBe('polish');
  });

  it('does not let a body exclude what the description promises', () => {
    const body = 'Do not use this to send newsletters twice. Do not use this for receipts.';
    const mail = { id: 'mail', name: 'bulk', description: 'Send newsletters to subscribers in batches.', body };
    const ranker = createRanker([...SKILLS, mail]);
    const rulesFor = (task: string): string[] =>
      ranker.rank(task).flatMap(({ id, reasons }) => (id === 'mail' ? reasons.map(({ rule }) => rule) : []));
    expect(rulesFor('send newsletters to all subscribers')).toContain('words');
    expect(rulesFor('send newsletters to all subscribers')).not.toContain('out-of-scope');
    expect(rulesFor('send newsletters and receipts to all subscribers')).toContain('out-of-scope');
  });

  it('reads the background reason as part of the task', () => {
    const ranker = createRanker(SKILLS);
    expect(ranker.rank('go on', { backgroundReason: 'schema migration of the orders table' })[0]?.id).toBe('sql');
  });

  it('returns at most the limit', () => {
    const ranker = createRanker(SKILLS);
    expect(ranker.rank('pdf schema staging', { limit: 2, threshold: 0 })).toHaveLength(2);
    expect(ranker.rank('pdf', { limit: 0 })).toEqual([]);
    expect(ranker.rank('pdf schema staging', { limit: Infinity, threshold: 0 }).length).toBeGreaterThanOrEqual(3);
  });

  it.each([{ limit: -1 }, { limit: 1.5 }, { limit: Number.NaN }, { threshold: Number.NaN }])(
    'rejects %j',
    (options) => {
      expect(() => createRanker(SKILLS).rank('pdf', options)).toThrow(
        expect.objectContaining({ code: 'InvalidOptions' }),
      );
    },
  );

  it.each([
    [{ limt: 3 }, "Did you mean 'limit'?"],
    [{ treshold: 0 }, "Did you mean 'threshold'?"],
    [{ embed: () => Promise.resolve([]) }, "'embed' is not known"],
    [{ isCandidate: 5 }, "'isCandidate' must be a function"],
    [{ provider: 5 }, "'provider' must be a string"],
    [{ backgroundReason: {} }, "'backgroundReason' must be a string, not an object"],
    [null, 'must be an object'],
  ])('rejects the options %j, and suggests a correction', (options, problem) => {
    for (const kind of ['lexical', 'additive'] as const) {
      const ranker = createRanker(SKILLS, { ranker: kind });
      const attempt = (): unknown => ranker.rank('pdf', options as never);
      expect(attempt).toThrow(expect.objectContaining({ code: 'InvalidOptions' }));
      expect(attempt).toThrow(problem);
    }
  });

  it.each([undefined, null, 5, {}, ['pdf']])('rejects %j as a task', (task) => {
    for (const kind of ['lexical', 'additive'] as const) {
      const ranker = createRanker(SKILLS, { ranker: kind });
      expect(() => ranker.rank(task as never)).toThrow("'task' must be a string");
    }
  });

  it('rejects an unknown ranker', () => {
    expect(() => createRanker([], { rankr: 'lexical' } as never)).toThrow("Did you mean 'ranker'?");
    const options = { ranker: 'constructor' as 'lexical' };
    expect(() => createRanker([], options)).toThrow(expect.objectContaining({ code: 'InvalidOptions' }));
  });
});

describe('a ranker whose skills change', () => {
  const answer = (ranker: Ranker): unknown => ranker.rank('extract tables with helm and acroform', { threshold: 0 });

  it('returns the same result as one made with the same skills, whatever the order of changes', () => {
    const fresh = createRanker(SKILLS);
    const changed = createRanker([...SKILLS].reverse().map((skill) => ({ ...skill, body: undefined })));
    changed.add([{ id: 'gone', name: 'extract-tables', description: 'Extract tables.', body: 'acroform helm' }]);
    changed.rank('extract');
    for (const { id, body } of SKILLS) if (body !== undefined) changed.setBody(id, 'to be replaced by acroform text');
    changed.remove(['gone', 'sql', 'never-there']);
    changed.rank('extract');
    changed.add(SKILLS.filter(({ id }) => id === 'sql'));
    for (const { id, body } of SKILLS) if (body !== undefined) changed.setBody(id, body);
    expect(answer(changed)).toEqual(answer(fresh));
    expect(changed.size).toBe(SKILLS.length);
    expect(changed.bodiesIndexed).toBe(2);
  });

  it('keeps no data of hundreds of skills that came and went', () => {
    const word = (seed: number): string => `w${((seed * 7919) % 3001).toString(36)}x`;
    const text = (seed: number, length: number): string =>
      Array.from({ length }, (_, at) => word(seed * 31 + at * at)).join(' ');
    const make = (prefix: string, count: number): RankableSkill[] =>
      Array.from({ length: count }, (_, at) => {
        const id = `${prefix}${at}`;
        return { id, name: id, description: text(at, 40), body: text(at + 500, 400) };
      });
    const stay = make('s', 30);
    const gone = make('g', 300).map((skill, at) => ({ ...skill, description: text(at + 900, 40) }));
    const fresh = createRanker(stay);
    const changed = createRanker(gone);
    changed.add(stay);
    changed.remove(gone.map(({ id }) => id));
    for (let task = 0; task < 60; task += 1) {
      const asked = `${stay[task % 30]?.description
        .split(' ')
        .slice(task % 20, 5 + (task % 20))
        .join(' ')} ${word(task)}`;
      expect(changed.rank(asked, { threshold: 0 })).toEqual(fresh.rank(asked, { threshold: 0 }));
    }
  });

  it('replaces a skill of the same id', () => {
    const ranker = createRanker(SKILLS);
    ranker.add([{ id: 'pdf', name: 'whale-songs', description: 'Classify recordings of whales.' }]);
    expect(ids(ranker, 'acroform pdf forms')).not.toContain('pdf');
    expect(ids(ranker, 'whale recordings')).toEqual(['pdf']);
    expect(ranker.size).toBe(SKILLS.length);
  });

  it('ignores bodies of removed skills', () => {
    const ranker = createRanker(SKILLS);
    ranker.setBody('never-there', 'whales');
    expect(ids(ranker, 'whales')).toEqual([]);
  });

  it('indexes bodies in slices and is usable between them', () => {
    const ranker = createRanker(SKILLS.map((skill) => ({ ...skill, body: undefined })));
    const bodies = SKILLS.map(({ id }) => ({ id, body: `${id} speaks of whales` }));
    const taken: number[] = [];
    for (const count of ranker.indexBodies(bodies, 0)) {
      taken.push(count);
      expect(ids(ranker, 'pdf forms')).toContain('pdf');
    }
    expect(taken).toEqual([1, 2, 3, 4, 5, 6]);
    expect(ranker.bodiesIndexed).toBe(6);
    expect(ranker.memoryBytes).toBeGreaterThan(0);
  });
});
