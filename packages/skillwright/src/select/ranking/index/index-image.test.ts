import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { driveSync } from '../../../sources/directory/drive.ts';
import type { RankableSkill, Ranker } from '../../../spec/ranker.ts';
import { imageSections, joinSections, readImage, splitSections } from './image-sections.ts';
import { type IndexImage, imageOf, restoreIndex } from './index-image.ts';
import { createLexicalRanker } from '../lexical/lexical-ranker.ts';
import { LexicalIndex } from './lexical-index.ts';

const WORDS = 'pdf table chart commit branch fence paint soup broth 翻译 合同 review tests deploy cluster'.split(' ');
const text = (most: number): fc.Arbitrary<string> =>
  fc
    .array(fc.constantFrom(...WORDS, 'Do not use for', '.', '\n## '), { maxLength: most })
    .map((words) => words.join(' '));
const skillOf = (at: number): fc.Arbitrary<RankableSkill> =>
  fc.record({
    id: fc.constant(`s${at}`),
    name: text(3),
    description: text(12),
    tags: fc.array(fc.constantFrom(...WORDS), { maxLength: 3 }),
    body: fc.option(text(60), { nil: undefined }),
  });
const pool = fc
  .integer({ min: 0, max: 12 })
  .chain((count) => fc.tuple(...Array.from({ length: count }, (_, at) => skillOf(at))));

/** Converts to bytes and back, as a file would. */
function throughBytes(image: IndexImage, skills: number): IndexImage | undefined {
  const bytes = Buffer.concat(joinSections(imageSections(image)));
  return readImage(splitSections(new Uint8Array(bytes)) ?? [], skills);
}

const answers = (ranker: Ranker): unknown =>
  WORDS.map((word, at) => ranker.rank(`${word} ${WORDS[(at + 3) % WORDS.length]}`, { limit: 20, threshold: 0 }));

describe('the image of an index', () => {
  it('restores an index that ranks like one built anew, whichever skills are left out', () => {
    fc.assert(
      fc.property(pool, fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }), (skills, isKept) => {
        const index = new LexicalIndex();
        for (const skill of skills) index.add(skill);
        const { ids, image } = driveSync(imageOf(index));
        const heads = ids.map((id, place) => {
          const { body: _body, ...head } = skills.find((skill) => skill.id === id) as RankableSkill;
          return isKept[place] === true ? head : undefined;
        });
        const whole = throughBytes(image, ids.length);
        expect(whole).toEqual(image);
        const restored = driveSync(restoreIndex(whole ?? image, heads));
        expect(restored).toBeDefined();
        const fresh = createLexicalRanker(skills.filter(({ id }) => heads[ids.indexOf(id)] !== undefined));
        expect(answers(createLexicalRanker([], restored))).toEqual(answers(fresh));
      }),
      { numRuns: 60 },
    );
  });

  it('restores an index that can be changed like any other', () => {
    const index = new LexicalIndex();
    const skills = WORDS.map((word, at) => ({ id: `s${at}`, name: word, description: `Does ${word}.`, body: 'soup' }));
    for (const skill of skills) index.add(skill);
    index.remove('s2');
    const { ids, image } = driveSync(imageOf(index));
    expect(ids).not.toContain('s2');
    const restored = driveSync(
      restoreIndex(
        image,
        ids.map((id) => index.get(id)),
      ),
    );
    const ranker = createLexicalRanker([], restored);
    ranker.add([{ id: 's2', name: 'chart', description: 'Does chart.', body: 'soup' }]);
    ranker.setBody('s0', 'Mind the xylophone.');
    ranker.remove(['s1']);
    const now = skills.filter(({ id }) => id !== 's1');
    const fresh = createLexicalRanker(
      now.map((skill) => (skill.id === 's0' ? { ...skill, body: 'Mind the xylophone.' } : skill)),
    );
    expect(answers(ranker)).toEqual(answers(fresh));
    expect([ranker.size, ranker.bodiesIndexed]).toEqual([WORDS.length - 1, WORDS.length - 1]);
  });

  it('is rejected if its parts contradict each other', () => {
    const index = new LexicalIndex();
    index.add({ id: 'a', name: 'pdf table', description: 'Reads tables.' });
    const { image } = driveSync(imageOf(index));
    const twice = { ...image, terms: image.terms.map((_, at) => image.terms[at % 2] as number) };
    expect(driveSync(restoreIndex(twice, [index.get('a')]))).toBeUndefined();
    expect(throughBytes({ ...image, lengths: new Uint32Array(3) }, 1)).toBeUndefined();
    expect(throughBytes({ ...image, head: { ...image.head, values: new Uint32Array(9) } }, 1)).toBeUndefined();
    expect(splitSections(new Uint8Array(7))).toBeUndefined();
    expect(splitSections(new Uint8Array(64).fill(0xff))).toBeUndefined();
  });
});
