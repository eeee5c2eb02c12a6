import { describe, expect, it } from 'vitest';
import { splitBodyScope, splitScope, splitRouting } from './scope.ts';

const words = (text: string): string => text.replaceAll(/[\s.]+/g, ' ').trim();

describe('what a skill says it is not for', () => {
  it.each([
    ['Reviews code. Do not use for movie reviews.', 'movie reviews'],
    ["Reviews code. Don't use this skill when it is a movie.", 'it is a movie'],
    ['Reviews code. Never trigger on movies.', 'movies'],
    ['Reviews code; not intended for movies', 'movies'],
    ['Reviews code. Should not be used for movie reviews.', 'movie reviews'],
    ['Reviews code. It must not be used with movies!', 'movies'],
    ["Reviews code. Shouldn't be used for movies.", 'movies'],
    ["Reviews code. Can't be used for movies.", 'movies'],
    ['Reviews code. Cannot be used for movies.', 'movies'],
    ['Reviews code. Not to be used when the user means movies.', 'the user means movies'],
    ['Reviews code. Avoid using this skill for movie reviews.', 'movie reviews'],
    ['Reviews code. Avoid using for movies.', 'movies'],
    ['Reviews code. Avoid it when movies are meant.', 'movies are meant'],
    ['Reviews code. Out of scope: movies, books.', 'movies, books'],
    ['Reviews code. Movie reviews are out of scope.', 'Movie reviews'],
    ['Reviews code. A movie is out-of-scope; a book too.', 'A movie'],
    ["Reviews code. Doesn't cover movies.", 'movies'],
    ['Reviews code. It does not cover movies.', 'movies'],
    ['Revisa código. No usar para películas.', 'películas'],
    ['Revisa código. No lo uses cuando sea una película.', 'sea una película'],
    ['Revisa código. No sirve para películas.', 'películas'],
    ['Revê código. Não usar para filmes.', 'filmes'],
    ['Relit du code. Ne pas utiliser pour les films.', 'les films'],
    ['Prüft Code. Nicht verwenden für Filme.', 'Filme'],
    ['审查代码。不要用于电影评论。', '电影评论'],
    ['审查代码，不适用于电影评论，只看代码。', '电影评论'],
    ['审查代码。请勿用于电影；可用于书。', '电影'],
  ])('is found in %j', (text, excluded) => {
    const scope = splitScope(text);
    expect(words(scope.excluded)).toBe(excluded);
    expect(scope.included).not.toMatch(/movie|película|filme|films|电影/i);
    expect(scope.included).toMatch(/code|código|代码/i);
  });

  it.each([
    'Use this for notes. It is not only for lists.',
    'Knows what to do when a test does not pass.',
    'Avoid long sentences. Never write to a file.',
    'Shows what is in scope and what is out of scope.',
    '适用于合同。用于翻译。',
    'No cuesta nada. Para usar con cuidado.',
    'nothing',
    '',
  ])('is not found in %j', (text) => {
    expect(splitScope(text)).toEqual({ included: text, excluded: '' });
  });

  it('does not include the names of the skills to use instead', () => {
    expect(words(splitScope('Not for movies (movie-review), books [[book-review]] or `x` /films').excluded)).toBe(
      'movies , books or',
    );
  });

  it('is found in a body only in sentences about the skill itself, not in instructions', () => {
    expect(words(splitBodyScope('Steps.\nDo not use this skill for movies.\nGo on.').excluded)).toBe('movies');
    const steps = 'Avoid using tabs for layout. Wide tables are out of scope.';
    expect(splitBodyScope(steps)).toEqual({ included: steps, excluded: '' });
  });
});

const HEAD = '| Request | Skill |\n| --- | :---: |\n';
const TABLE = `${HEAD}| "Rewrite the letter" | \`write\` |\n| "Check the spelling" | this skill |\n`;

/** The words that are given away, without what is between them. */
const givenAway = (text: string): string[] =>
  splitRouting(text)
    .excluded.split(' . ')
    .map((cell) => cell.trim())
    .filter((cell) => cell !== '');

describe('a table that assigns requests to skills', () => {
  it('excludes the rows of other skills and keeps the rows of this skill', () => {
    const { included, excluded } = splitRouting(`Before.\n${TABLE}After.`);
    expect(excluded.trim()).toBe('"Rewrite the letter"');
    expect(included).toBe(`Before.\n${HEAD} . \n| "Check the spelling" | this skill |\nAfter.`);
  });

  it('is also read with CRLF line ends, and with line ends that were folded into spaces', () => {
    expect(givenAway(TABLE.replaceAll('\n', '\r\n'))).toEqual(['"Rewrite the letter"']);
    expect(givenAway(`Before. ${TABLE.replaceAll('\n', ' ')} After | not a row.`)).toEqual(['"Rewrite the letter"']);
  });

  it.each([
    'This skill',
    '**this skill**',
    '`this skill`',
    'this skill (the default)',
    'This skill + **other**',
    'this skill — first',
  ])('keeps a row for this skill that says: %s', (own) => {
    expect(givenAway(`${HEAD}| sort | ${own} |\n| merge | other |\n`)).toEqual(['merge']);
  });

  it.each(['`other`', '/other', 'neither: ask first', 'not this skill', 'no skill', '别的技能'])(
    'excludes a row for another skill that says: %s',
    (answer) => {
      expect(givenAway(`${HEAD}| sort | this skill |\n| merge | ${answer} |\n`)).toEqual(['merge']);
    },
  );

  it.each(['', ' — ', 'both', 'either', 'any of them', '`other`, then this skill'])(
    'keeps a row that does not clearly belong to another skill: %j',
    (answer) => {
      expect(givenAway(`${HEAD}| sort | this skill |\n| merge | ${answer} |\n`)).toEqual([]);
    },
  );

  it('may have the skills in any column, and all other cells of a row are excluded', () => {
    const table = '|Who|What|Why|\n|-|-|-|\n|this skill|sort|order|\n|`other`|merge|unity|\n';
    expect(givenAway(table)).toEqual(['merge', 'unity']);
  });

  it('has no effect on other tables', () => {
    const other = '| Option | Meaning |\n|---|---|\n| `fast` | skips checks |\n';
    expect(givenAway(`${other}\n${TABLE}\n${other}`)).toEqual(['"Rewrite the letter"']);
  });

  it('may contain an escaped pipe in a cell', () => {
    expect(givenAway(`${HEAD}| a \\| b | \`other\` |\n| c | this skill |\n`)).toEqual(['a \\| b']);
  });
});

describe('a text without such a table', () => {
  it.each([
    ['prose', 'Use `other` instead when this skill does not fit. See also `third`.'],
    ['a list', '- merge → `other`\n- sort → this skill\n'],
    ['an index of skills', `${HEAD}| merge | \`other\` |\n| split | \`third\` |\n`],
    ['questions and answers', '| Q | A |\n|---|---|\n| Merging? | Not yet. |\n| Sorting? | **This skill** sorts. |\n'],
    ['a code block', `\`\`\`md\n${TABLE}\`\`\`\n`],
    ['a code block with another in it', `~~~~\n\`\`\`\n${TABLE}\`\`\`\n~~~~\n`],
    ['a code block that never ends', `\`\`\`\n${TABLE}`],
    ['rows without a header', '| merge | `other` |\n| sort | this skill |\n'],
    ['rows without a closing pipe', `${HEAD}| merge | \`other\`\n| sort | this skill\n`],
    ['an empty text', ''],
  ])('is kept whole: %s', (_, text) => {
    expect(splitRouting(text)).toEqual({ included: text, excluded: '' });
  });

  it('starts where a table ends: at an empty line or a row with too few cells', () => {
    const late = '| merge | `other` |\n';
    expect(givenAway(`${HEAD}| sort | this skill |\n\n${late}`)).toEqual([]);
    expect(givenAway(`${HEAD}| sort | this skill |\n| alone |\n${late}`)).toEqual([]);
  });
});

describe('a hostile table', () => {
  const many = 50_000;
  it.each([
    ['of many rows', `${HEAD}| sort | this skill |\n${'| merge | other |\n'.repeat(many)}`, many],
    ['of rules only', `| this skill | ${'|-|'.repeat(many)}`, 0],
    ['of many columns', `${'|-'.repeat(many)}|\n${'|this skill'.repeat(many)}|\n${'|x'.repeat(many)}|\n`, many - 1],
    ['of empty cells', `| this skill |\n${'|'.repeat(many)}`, 0],
    ['of one endless cell', `${HEAD}| sort | this skill |\n|${' '.repeat(many)}this not`, 0],
    ['of spaces before each word', `${HEAD}| sort | this skill |\n| x |${`${' '.repeat(200)}this`.repeat(500)} |\n`, 1],
    ['of backslashes', `${HEAD}| sort | this skill |\n|${'\\'.repeat(many)}`, 0],
    ['of fences', `${TABLE}${'``` ~~~~ '.repeat(many)}`, 1],
  ])('%s is read in one pass', (_, text, count) => {
    expect(givenAway(text)).toHaveLength(count);
  });
});
