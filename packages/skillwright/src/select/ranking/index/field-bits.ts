import { countOf } from './term-counter.ts';

/** How the fields of a skill's head share the payload of an entry: occurrences, capped, so that repeating gains little. */
export const HEAD = { name: 0, description: 1, tags: 2, excluded: 3 } as const;
/** The same for its body. */
export const BODY_PARTS = { text: 0, headings: 1, excluded: 2 } as const;

const NAME_MOST = 3;
const DESCRIPTION_MOST = 7;
const TAGS_MOST = 3;
const TEXT_MOST = 63;
const HEADINGS_MOST = 3;

export function packHead(counts: number): number {
  return (
    countOf(counts, HEAD.name, NAME_MOST) |
    (countOf(counts, HEAD.description, DESCRIPTION_MOST) << 2) |
    (countOf(counts, HEAD.tags, TAGS_MOST) << 5) |
    (countOf(counts, HEAD.excluded, 1) << 7)
  );
}

export const nameCount = (payload: number): number => payload & NAME_MOST;
export const descriptionCount = (payload: number): number => (payload >>> 2) & DESCRIPTION_MOST;
export const tagsCount = (payload: number): number => (payload >>> 5) & TAGS_MOST;
export const isExcludedByHead = (payload: number): boolean => (payload & 0x80) !== 0;

export function packBody(counts: number): number {
  return (
    countOf(counts, BODY_PARTS.text, TEXT_MOST) |
    (countOf(counts, BODY_PARTS.headings, HEADINGS_MOST) << 6) |
    (countOf(counts, BODY_PARTS.excluded, 1) << 8)
  );
}

export const textCount = (payload: number): number => payload & TEXT_MOST;
export const headingsCount = (payload: number): number => (payload >>> 6) & HEADINGS_MOST;
export const isExcludedByBody = (payload: number): boolean => (payload & 0x100) !== 0;
