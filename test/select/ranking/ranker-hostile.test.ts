import { describe, expect, it } from 'vitest';
import { createRanker } from '../../../packages/skillwright/src/select/ranking/create-ranker.ts';
import type { RankableSkill, RankerKind } from '../../../packages/skillwright/src/spec/ranker.ts';

const KINDS: readonly RankerKind[] = ['lexical', 'additive'];

const SKILLS: readonly RankableSkill[] = [
  { id: 'pdf', name: 'pdf-forms', description: 'Fill in PDF forms.', body: 'Use pdftk.' },
  { id: 'words', name: 'constructor', description: 'toString __proto__ hasOwnProperty valueOf prototypes', body: '' },
];

describe.each(KINDS)('the %s ranker with bad tasks', (ranker) => {
  it.each([
    ['nothing', ''],
    ['space', ' \n\t '],
    ['emoji', '🚀🔥👩‍👩‍👧‍👦'],
    ['expressions', '.*+?^${}()|[]\\ (?<=a) [[ ]] (((('],
    ['lone surrogates', '\ud800 \udc00\ud800'],
    ['control characters', '\u0000\u0001\u202e'],
    ['stop words', 'and or the of to'],
  ])('returns nothing for %s', (_, task) => {
    expect(createRanker(SKILLS, { ranker }).rank(task)).toEqual([]);
  });

  it('answers a task of a megabyte', () => {
    const task = `fill the pdf-forms ${'lorem ipsum dolor '.repeat(60_000)}`;
    expect(createRanker(SKILLS, { ranker }).rank(task, { threshold: 0 })[0]?.id).toBe('pdf');
    expect(createRanker(SKILLS, { ranker }).rank('x'.repeat(1_000_000))).toEqual([]);
  });

  it('treats names of object members as words', () => {
    const made = createRanker(SKILLS, { ranker });
    expect(made.rank('constructor')[0]?.id).toBe('words');
    expect(made.rank('toString __proto__ hasOwnProperty valueOf')[0]?.id).toBe('words');
  });

  it('works without any skills', () => {
    const made = createRanker([], { ranker });
    expect(made.rank('pdf forms')).toEqual([]);
    expect(made.size).toBe(0);
  });

  it('orders ten thousand skills of one name in the same way, whatever their order', () => {
    const many = Array.from({ length: 10_000 }, (_, at) => ({
      id: `group-${String(at).padStart(5, '0')}:report`,
      name: 'report',
      description: 'Write the weekly report for the board meeting.',
      installCount: at % 100 === 7 ? 5 : 0,
    }));
    const task = 'write the weekly report';
    const options = { threshold: 0 };
    const forwards = createRanker(many, { ranker }).rank(task, options);
    const backwards = createRanker([...many].reverse(), { ranker }).rank(task, options);
    expect(forwards.map(({ id }) => id)).toEqual([7, 107, 207, 307, 407].map((at) => many[at]?.id));
    expect(backwards).toEqual(forwards);
  });
});

describe('skills that are copies of each other', () => {
  const copies = (count: number): RankableSkill[] =>
    Array.from({ length: count }, (_, at) => ({
      id: `group-${at}:deploy-service`,
      name: 'deploy-service',
      description: 'Deploy the service to production.',
    }));

  it.each([1, 50, 10_000])('are found, however many: %i', (count) => {
    const ranked = createRanker(copies(count)).rank('deploy the service to production');
    expect(ranked).toHaveLength(Math.min(5, count));
    expect(ranked[0]?.confidence).toBeGreaterThan(0.5);
  });

  it('do not suppress a skill that has the same words', () => {
    const skills = [
      { id: 'pdf', name: 'pdf-tools', description: 'Extract text and tables from PDF files, and fill forms.' },
      ...copies(20),
      ...Array.from({ length: 2_000 }, (_, at) => ({
        id: `copy-${at}`,
        name: `zz${at}`,
        description: 'Extract tables from PDF files.',
      })),
    ];
    const task = 'extract the tables from this pdf file';
    const ranker = createRanker(skills);
    expect(ranker.rank(task)).toHaveLength(5);
    const isCandidate = (id: string): boolean => !id.startsWith('copy-');
    expect(ranker.rank(task, { isCandidate }).map(({ id }) => id)).toEqual(['pdf']);
    ranker.remove(skills.slice(1).map(({ id }) => id));
    expect(ranker.rank(task)).toEqual(createRanker(skills.slice(0, 1)).rank(task));
  });
});

describe('a ranker whose skills change while it evaluates them', () => {
  const skills = ['a', 'b', 'c'].map((id) => ({ id, name: `pdf-${id}`, description: 'Convert PDF files.' }));

  it.each(['lexical', 'additive'] as const)('omits removed skills: %s', (kind) => {
    const removing = createRanker(skills, { ranker: kind });
    const isCandidate = (id: string): boolean => {
      removing.remove([id]);
      return true;
    };
    expect(() => removing.rank('convert pdf files', { isCandidate })).not.toThrow();
    expect(removing.rank('convert pdf files')).toEqual([]);
    const adding = createRanker(skills, { ranker: kind });
    const isAdding = (id: string): boolean => {
      if (!id.startsWith('new-')) adding.add([{ id: `new-${id}`, name: 'pdf', description: 'Convert PDF files.' }]);
      return true;
    };
    expect(adding.rank('convert pdf files', { isCandidate: isAdding }).length).toBeGreaterThanOrEqual(3);
  });
});

describe('words with colliding hashes', () => {
  it('are distinguished', () => {
    const [one, other] = ['apbQapapbQbQapbQapbQapbQapapapapapap', 'bQapapapbQbQapapapapbQbQbQbQapapapap'];
    const ranker = createRanker([
      { id: 'one', name: 'first', description: one ?? '' },
      { id: 'other', name: 'second', description: other ?? '' },
    ]);
    const scores = new Map(ranker.rank(other ?? '', { threshold: 0 }).map(({ id, score }) => [id, score]));
    expect(scores.get('other')).toBeGreaterThan(3 * (scores.get('one') ?? 0));
  });
});

describe('the lexical ranker with bad skills', () => {
  const honest: RankableSkill = {
    id: 'honest',
    name: 'pdf-tables',
    description: 'Extract tables from PDF files as CSV.',
    body: 'Open the PDF, find the tables, write one CSV for each of them.',
  };

  it('does not prefer a description that repeats every keyword a thousand times', () => {
    const words = 'pdf table extract csv deploy docker sql test review image video mail invoice chart';
    const stuffed: RankableSkill = {
      id: 'stuffed',
      name: 'best-skill',
      description: `${words} `.repeat(1_000),
      tags: words.split(' '),
      body: `${words} `.repeat(1_000),
    };
    const others = words
      .split(' ')
      .map((word): RankableSkill => ({ id: word, name: `${word}-things`, description: `Does ${word}.` }));
    const ranker = createRanker([stuffed, honest, ...others]);
    expect(ranker.rank('extract the tables of a pdf as csv')[0]?.id).toBe('honest');
    expect(ranker.rank('chart the mail review', { threshold: 0 })[0]?.id).not.toBe('stuffed');
  });

  it('reads only the beginning of a huge body, and nothing of a huge word', () => {
    const huge = { ...honest, id: 'huge', body: `first ${'filler '.repeat(500_000)} zebra ${'y'.repeat(1_000_000)}` };
    const ranker = createRanker([huge]);
    expect(ranker.rank('first', { threshold: 0 })).toHaveLength(1);
    expect(ranker.rank('zebra', { threshold: 0 })).toEqual([]);
    expect(ranker.memoryBytes).toBeLessThan(5_000_000);
  });

  it('accepts texts of any characters', () => {
    const odd = [
      '\ud800',
      '🚀',
      '𝐏𝐃𝐅',
      'ﬁle',
      'Ⅻ',
      '١٢٣',
      'ไทยภาษา',
      '한국어 문서',
      'a\u0301\u0301\u0301',
      '-_-._',
      '...',
    ];
    const ranker = createRanker(
      odd.map((text, at) => ({ id: String(at), name: text, description: text, tags: [text], body: text })),
    );
    for (const text of odd) expect(() => ranker.rank(text)).not.toThrow();
    expect(ranker.rank('문서', { threshold: 0 })[0]?.id).toBe('7');
    expect(ranker.rank('ภาษา', { threshold: 0 })[0]?.id).toBe('6');
    expect(ranker.rank('file', { threshold: 0 })[0]?.id).toBe('3');
  });
});
