import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createListingSession } from '../../../packages/skillwright/src/select/listing/listing.ts';
import type { SkillMetadata } from '../../../packages/skillwright/src/index.ts';
import { FUZZ_RUNS } from '../../property/fuzz-runs.ts';
import { sampleSkill } from '../../support/sample-metadata.ts';

const TOPICS = ['pdf', 'deploy', 'calendar', 'sql', 'translate', 'chart', 'email', 'git', 'weather', 'invoice'];
const skillsOf = (topic: string, count: number): SkillMetadata[] =>
  Array.from({ length: count }, (_, index) =>
    sampleSkill(`${topic}-${index}`, {
      description: `Helps with ${topic} in the way of number ${index}. Use when ${topic} comes up in some form or other.`,
    }),
  );
const named = (...names: string[]): Set<string> => new Set(names);

describe('a conversation of ten turns', () => {
  it('only adds to its listing while the topic drifts and the catalog changes', () => {
    const session = createListingSession({ budgetTokens: 600 });
    let skills = TOPICS.flatMap((topic) => skillsOf(topic, 20));
    const texts: string[] = [];
    for (const [turn, topic] of TOPICS.entries()) {
      if (turn === 3) skills = skills.filter(({ name }) => !name.startsWith('pdf-'));
      if (turn === 5) skills = [...skillsOf('brand-new', 2), ...skills];
      if (turn === 7) skills = skills.map((skill) => ({ ...skill, description: `Changed: ${skill.description}` }));
      const listing = session.update(skills, { preferred: named(`${topic}-3`, `${topic}-7`) });
      texts.push(listing.text);
      expect(listing.tokens).toBeLessThanOrEqual(600);
    }
    for (const [turn, text] of texts.entries()) {
      const before = Buffer.from(texts[turn - 1] ?? '');
      expect(Buffer.from(text).subarray(0, before.length).equals(before)).toBe(true);
    }
    expect(new Set(texts).size).toBeGreaterThan(3);
    expect(texts.at(-1)).toContain('### brand-new-0');
  });

  it('keeps its listing unchanged while no new skill is wanted', () => {
    const session = createListingSession({ budgetTokens: 300 });
    const skills = skillsOf('pdf', 50);
    const first = session.update(skills);
    for (let turn = 0; turn < 10; turn += 1) expect(session.update(skills)).toEqual(first);
    expect(session.listing).toEqual(first);
  });
});

describe('an update', () => {
  it('adds a hidden skill once it fits the task', () => {
    const session = createListingSession({ budgetTokens: 100 });
    const skills = skillsOf('pdf', 100);
    const first = session.update(skills);
    expect(first.text).not.toContain('### pdf-90');
    const next = session.update(skills, { preferred: named('pdf-90') });
    expect(next.text).toContain('### pdf-90');
    expect(next.text.startsWith(`${first.text}\n\n`)).toBe(true);
    expect(next.cut.some(({ name }) => name === 'pdf-90')).toBe(false);
  });

  it('adds the description of a skill that was only named, once', () => {
    const session = createListingSession({ budgetTokens: 200 });
    const skills = skillsOf('pdf', 100);
    const first = session.update(skills);
    expect(first.shown[0]).toMatchObject({ name: 'pdf-0', level: 'name-only' });
    const preferred = named('pdf-0');
    const next = session.update(skills, { preferred });
    expect(next.shown.slice(first.shown.length)).toMatchObject([{ name: 'pdf-0', level: 'full' }]);
    expect(session.update(skills, { preferred })).toEqual(next);
  });

  it('omits a withheld skill until it is offered', () => {
    const session = createListingSession();
    const skills = skillsOf('pdf', 3);
    const first = session.update(skills, { held: named('pdf-1') });
    expect(first).toMatchObject({ cut: [], needsSearch: false });
    expect(first.shown.map(({ name }) => name)).toEqual(['pdf-0', 'pdf-2']);
    expect(session.update(skills).shown.map(({ name }) => name)).toEqual(['pdf-0', 'pdf-2', 'pdf-1']);
    expect(session.update(skills, { held: named('pdf-0') }).gone).toEqual([]);
  });

  it('keeps a removed skill listed, and marks it unavailable until it is back', () => {
    const session = createListingSession();
    const skills = [sampleSkill('code_review'), sampleSkill('deploy')];
    const before = session.update(skills);
    expect(session.unavailable('code-review')).toBeUndefined();
    const after = session.update(skills.slice(1));
    expect(after.text).toBe(before.text);
    expect(after.gone).toEqual(['code_review']);
    expect(session.unavailable('code-review')).toContain("'code_review' was listed earlier");
    expect(session.unavailable('deploy')).toBeUndefined();
    expect(session.unavailable('never-seen')).toBeUndefined();
    expect(session.update(skills).text).toBe(before.text);
    expect(session.unavailable('code_review')).toBeUndefined();
  });

  it('keeps every earlier text as its prefix and the whole within the budget, whatever happens', () => {
    const name = fc.constantFrom(...Array.from({ length: 40 }, (_, index) => `skill-${index}`));
    const names = fc.uniqueArray(name, { maxLength: 40 });
    const description = fc.oneof(fc.lorem({ maxCount: 30 }), fc.string({ unit: 'binary', maxLength: 60 }));
    const turn = fc.record({ there: names, preferred: names, held: names, description });
    fc.assert(
      fc.property(fc.array(turn, { maxLength: 10 }), fc.integer({ min: 1, max: 400 }), (turns, budgetTokens) => {
        const session = createListingSession({ budgetTokens });
        let before = '';
        for (const { there, preferred, held, description: text } of turns) {
          const skills = there.map((skill) => sampleSkill(skill, { description: text }));
          const listing = session.update(skills, { preferred: new Set(preferred), held: new Set(held) });
          expect(listing.text.startsWith(before)).toBe(true);
          expect(listing.tokens).toBeLessThanOrEqual(budgetTokens);
          expect(listing.text).toBe(listing.shown.map((shown) => shown.text).join('\n\n'));
          for (const { name: skill } of listing.cut) expect(there).toContain(skill);
          before = listing.text;
        }
      }),
      { numRuns: FUZZ_RUNS },
    );
  });
});
