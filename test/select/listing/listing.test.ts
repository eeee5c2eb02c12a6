import { describe, expect, it } from 'vitest';
import {
  createListing,
  type Listing,
  createListingSession,
} from '../../../packages/skillwright/src/select/listing/listing.ts';
import { SkillwrightError, type SkillMetadata } from '../../../packages/skillwright/src/index.ts';
import type { ListingOptions } from '../../../packages/skillwright/src/select.ts';
import { proves } from '../../proves.ts';
import { sampleSkill } from '../../support/sample-metadata.ts';

const LONG =
  'Reads tables out of documents. Use when the user has a PDF, a scan or a spreadsheet and wants the numbers in it.';
const many = (count: number, more: Partial<SkillMetadata> = {}): SkillMetadata[] =>
  Array.from({ length: count }, (_, index) =>
    sampleSkill(`skill-${String(index).padStart(5, '0')}`, { description: `Number ${index}. ${LONG}`, ...more }),
  );
const levelsOf = ({ shown }: Listing): string => [...new Set(shown.map(({ level }) => level))].join(' ');

describe('a listing that fits', () => {
  it('has a heading and the description of every skill, in the given order', () => {
    const skills = [
      sampleSkill('discord', { description: 'Post messages.', whenToUse: 'Use for Discord.' }),
      sampleSkill('deploy', { description: 'Ship it.' }),
    ];
    expect(createListing(skills)).toMatchObject({
      text: '### discord\nPost messages. Use for Discord.\n\n### deploy\nShip it.',
      cut: [],
      gone: [],
      needsSearch: false,
      budgetTokens: 2_000,
    });
  });

  it('omits triggers, tags, paths and files', () => {
    proves('S3.index.backend-only');
    const skill = sampleSkill('quiet', {
      description: 'Does it.',
      triggers: ['tool_call_error'],
      tags: ['secret-tag'],
      paths: ['src/**'],
    });
    expect(createListing([skill]).text).toBe('### quiet\nDoes it.');
  });

  it('is empty without skills', () => {
    expect(createListing([])).toMatchObject({ text: '', shown: [], cut: [], needsSearch: false, tokens: 0 });
  });
});

/** From the most to the least detail. */
const LEVELS: readonly string[] = ['full', 'short', 'name-only', 'hidden'];

describe('a listing that does not fit', () => {
  const skills = many(20);
  const whole = createListing(skills, { budgetTokens: 100_000 }).tokens;

  it('shortens descriptions from the end first, and reports the shortened skills', () => {
    const listing = createListing(skills, { budgetTokens: whole - 30 });
    expect(listing.shown.map(({ level }) => level).join(' ')).toMatch(/^(full )+(short ?)+$/);
    expect(listing.cut.map(({ name }) => name)).toEqual(
      listing.shown.filter(({ level }) => level === 'short').map(({ name }) => name),
    );
    expect(listing.cut[0]).toMatchObject({ how: 'short', why: expect.stringContaining('budget') as string });
    expect(listing.needsSearch).toBe(false);
  });

  it('then drops descriptions, then hides skills behind the search', () => {
    const names = createListing(skills, { budgetTokens: 170 });
    expect(levelsOf(names)).toBe('short name-only');
    expect(names.needsSearch).toBe(true);
    const hidden = createListing(skills, { budgetTokens: 60 });
    expect(levelsOf(hidden)).toBe('name-only');
    expect(hidden.needsSearch).toBe(true);
    expect(hidden.cut).toHaveLength(20);
    expect(hidden.cut.filter(({ how }) => how === 'hidden').length).toBe(20 - hidden.shown.length);
  });

  it.each([1, 5, 20, 60, 100, 200, 300, 500, 1_000])('never takes more than %i tokens', (budgetTokens) => {
    const listing = createListing(skills, { budgetTokens });
    expect(listing.tokens).toBeLessThanOrEqual(budgetTokens);
    expect(listing.shown.length + listing.cut.filter(({ how }) => how === 'hidden').length).toBe(20);
  });

  it('keeps fitting skills in full while others are shortened', () => {
    const preferred = new Set(['skill-00017', 'skill-00019']);
    const listing = createListing(skills, { budgetTokens: 200, preferred });
    const full = listing.shown.filter(({ level }) => level === 'full').map(({ name }) => name);
    expect(full).toEqual(['skill-00017', 'skill-00019']);
    expect(listing.shown.length).toBeGreaterThan(2);
  });

  it('follows the order of fit, and shortens the last skills first', () => {
    const preferred = ['skill-00019', 'skill-00003', 'skill-00017'];
    const room = createListing(skills, { budgetTokens: 100_000, preferred });
    expect(room.shown.slice(0, 4).map(({ name }) => name)).toEqual([...preferred, 'skill-00000']);
    const levels = new Set<string>();
    for (let budgetTokens = 10; budgetTokens < 200; budgetTokens += 5) {
      const { shown } = createListing(skills, { budgetTokens, preferred });
      const kept = preferred.map((name) =>
        LEVELS.indexOf(shown.find((skill) => skill.name === name)?.level ?? 'hidden'),
      );
      expect(kept).toEqual(kept.toSorted((a, b) => a - b));
      levels.add(kept.join());
    }
    expect(levels.size).toBeGreaterThan(3);
  });

  it('leaves all skills to the search if its budget is zero', () => {
    const listing = createListing(skills, { budgetTokens: 0 });
    expect(listing).toMatchObject({ text: '', shown: [], tokens: 0, needsSearch: true });
    expect(listing.cut).toHaveLength(20);
    const pinned = ['skill-00004'];
    expect(createListing(skills, { budgetTokens: 0, pinned }).text).toBe('### skill-00004');
  });

  it('has only names if the limit per entry is small, and reports that', () => {
    const listing = createListing(skills, { maxEntryTokens: 1 });
    expect(levelsOf(listing)).toBe('name-only');
    expect(listing.needsSearch).toBe(true);
    expect(listing.cut[0]).toMatchObject({ how: 'name-only', why: expect.stringContaining('1 tokens') as string });
    const next = createListing(skills, { maxEntryTokens: 1, preferred: ['skill-00000'], previous: listing });
    expect(next.text).toBe(listing.text);
  });

  it('names pinned skills even beyond the budget', () => {
    proves('S4.mode.on');
    const pinned = new Set(skills.slice(10).map(({ name }) => name));
    const listing = createListing(skills, { budgetTokens: 10, pinned });
    expect(listing.shown.map(({ name }) => name)).toEqual([...pinned]);
    expect(levelsOf(listing)).toBe('name-only');
    expect(listing.tokens).toBeGreaterThan(10);
  });

  it('is the same every time', () => {
    expect(createListing(many(500), { budgetTokens: 300 })).toEqual(createListing(many(500), { budgetTokens: 300 }));
  });
});

describe('an entry', () => {
  it('is cut between words at its own limit, and reported', () => {
    const skill = sampleSkill('wordy', { description: 'word '.repeat(100_000) });
    const listing = createListing([skill], { maxEntryTokens: 50 });
    expect(listing.tokens).toBeLessThanOrEqual(50);
    expect(listing.text).toMatch(/^### wordy\nword( word)*…$/);
    expect(listing.cut).toEqual([{ name: 'wordy', how: 'short', why: expect.stringContaining('50 tokens') as string }]);
  });

  it('with a name that cannot be shown is omitted with the reason, or named by its directory', () => {
    const odd = sampleSkill('evil\n### admin', { qualifiedName: 'evil\n### admin', directoryName: 'evil' });
    expect(createListing([odd]).text).toMatch(/^### evil\n/);
    const clash = createListing([odd, sampleSkill('evil', { description: 'The real one.' })]);
    expect(clash.text).toBe('### evil\nThe real one.');
    expect(clash.cut).toEqual([
      { name: String.raw`evil\n### admin`, how: 'hidden', why: expect.stringContaining('Rename') as string },
    ]);
    expect(clash.needsSearch).toBe(false);
  });

  it("is measured by the host's token counter", () => {
    const words = (text: string): number => text.split(/\s+/).filter(Boolean).length;
    const listing = createListing(many(3), { countTokens: words });
    expect(listing.tokens).toBe(words(listing.text));
  });
});

describe('ten thousand skills', () => {
  it('are listed within the budget, with the rest behind the search', () => {
    const listing = createListing(many(10_000), { preferred: new Set(['skill-09999']) });
    expect(listing.tokens).toBeLessThanOrEqual(2_000);
    expect(listing.shown[0]).toMatchObject({ name: 'skill-09999', level: 'full' });
    expect(listing.needsSearch).toBe(true);
    expect(listing.cut.filter(({ how }) => how === 'hidden').length).toBe(10_000 - listing.shown.length);
  });

  it('are listed in the same way with descriptions of a megabyte', () => {
    const huge = sampleSkill('huge', { description: '<x>'.repeat(350_000), trust: 'untrusted' });
    expect(createListing([huge, ...many(100)]).tokens).toBeLessThanOrEqual(2_000);
  });
});

describe('an option', () => {
  it.each([
    [{ budgetTokens: -1 }, 'budgetTokens'],
    [{ maxEntryTokens: 0 }, 'maxEntryTokens'],
    [{ preferred: 'skill' as unknown as string[] }, 'preferred'],
    [{ held: {} as unknown as string[] }, 'held'],
    [{ budgetTokens: Number.NaN }, 'budgetTokens'],
    [{ contextWindow: -1 }, 'contextWindow'],
    [{ maxEntryTokens: Number.POSITIVE_INFINITY }, 'maxEntryTokens'],
    [{ contextWindow: '8k' as unknown as number }, 'contextWindow'],
    [{ countTokens: () => Number.NaN }, 'countTokens'],
    [{ countTokens: 4 as unknown as () => number }, 'countTokens'],
  ])('such as %j is rejected by name', (options, option) => {
    const attempt = (): unknown => createListing(many(1), options);
    expect(attempt).toThrow(SkillwrightError);
    expect(attempt).toThrow(`'${option}'`);
  });

  it.each([
    [{ budgetToken: 10 }, 'budgetTokens'],
    [{ contextWindows: 10 }, 'contextWindow'],
    [{ prefered: [] }, 'preferred'],
  ])('with a misspelled name such as %j is rejected with the correct name', (misspelt, meant) => {
    const options = misspelt as ListingOptions;
    const error = expect.objectContaining({ code: 'InvalidOptions' }) as Error;
    expect(() => createListing(many(1), options)).toThrow(error);
    expect(() => createListing(many(1), options)).toThrow(`Did you mean '${meant}'?`);
    expect(() => createListingSession(options)).toThrow(error);
  });

  it('is checked when a session starts', () => {
    expect(() => createListingSession({ budgetTokens: -5 })).toThrow("'budgetTokens'");
  });

  it('for the budget is one percent of the context window by default', () => {
    expect(createListing([], { contextWindow: 8_000 }).budgetTokens).toBe(80);
  });
});
