import { describe, expect, it } from 'vitest';
import { splitBodyScope, splitScope } from './scope.ts';

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

  it('does not count the skills that it names instead', () => {
    expect(words(splitScope('Not for movies (movie-review), books [[book-review]] or `x` /films').excluded)).toBe(
      'movies , books or',
    );
  });

  it('is found in a body where it says so plainly, and not where it tells how to do something', () => {
    expect(words(splitBodyScope('Steps.\nDo not use this skill for movies.\nGo on.').excluded)).toBe('movies');
    const steps = 'Avoid using tabs for layout. Wide tables are out of scope.';
    expect(splitBodyScope(steps)).toEqual({ included: steps, excluded: '' });
  });
});
