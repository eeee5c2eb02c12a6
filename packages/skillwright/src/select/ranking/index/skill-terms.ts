import type { RankableSkill } from '../../../spec/ranker.ts';
import { BODY_PARTS, HEAD, type TermCounter } from './field-bits.ts';
import { LONGEST_BODY, LONGEST_FIELD, LONGEST_SCOPE } from '../lexical/weights.ts';
import type { TermReader } from '../text/term-reader.ts';
import { splitRouting, type ScopedText, splitBodyScope, splitScope, withoutNotForSections } from '../text/scope.ts';

/** The terms of a skill's head in order, field by field. */
export interface HeadTerms {
  readonly name: Int32Array;
  readonly description: Int32Array;
  readonly tags: Int32Array;
}

const SHORTEST_STUFFED = 100;
const MOST_REPEATED = 8;

/**
 * A heading of level 2 or below. The level-1 title repeats the name, and in most code a single `#` begins a comment.
 */
const HEADING = /^#{2,6}[ \t]+(\S.*)$/gm;

/** Reads the head of a skill, leaves the counts of its terms in `counter`, and returns the terms in order. */
export function countHead(skill: RankableSkill, reader: TermReader, counter: TermCounter): HeadTerms {
  const scope = describe(skill);
  const terms: HeadTerms = {
    name: reader.read(skill.name, LONGEST_FIELD),
    description: reader.read(scope.included, LONGEST_FIELD),
    tags: reader.read((skill.tags ?? []).join(' . '), LONGEST_FIELD),
  };
  counter.add(terms.name, HEAD.name);
  counter.add(withoutStuffing(terms.description), HEAD.description);
  counter.add(withoutStuffing(terms.tags), HEAD.tags);
  counter.add(exclude(scope.excluded, terms.name, reader), HEAD.excluded);
  return terms;
}

function describe({ description, whenToUse }: RankableSkill): ScopedText {
  return splitScope([description, whenToUse ?? ''].join(' . ').slice(0, LONGEST_FIELD));
}

/** Reads the body of a skill, leaves its counts in the counter and returns its terms in order. */
export function countBody(body: string, skill: RankableSkill, reader: TermReader, counter: TermCounter): Int32Array {
  const routing = splitRouting(withoutNotForSections(body.slice(0, LONGEST_BODY)));
  const scope = splitBodyScope(routing.included.slice(0, LONGEST_SCOPE));
  const text = scope.excluded === '' ? routing.included : scope.included + routing.included.slice(LONGEST_SCOPE);
  const terms = reader.read(text, LONGEST_BODY);
  counter.add(withoutStuffing(terms), BODY_PARTS.text);
  counter.add(reader.read(headingsOf(text), LONGEST_FIELD), BODY_PARTS.headings);
  const excluded = [scope.excluded, routing.excluded].filter((clauses) => clauses !== '').join(' . ');
  if (excluded === '') return terms;
  const offered = reader.read([skill.name, describe(skill).included].join(' . '), 2 * LONGEST_FIELD);
  counter.add(exclude(excluded, offered, reader), BODY_PARTS.excluded);
  return terms;
}

/**
 * Counts each word once if a text repeats its words so often that it must have been written for rankers. The text keeps
 * its length, which lowers its score. Real texts repeat a word two to four times on average.
 */
function withoutStuffing(terms: Int32Array): Int32Array {
  if (terms.length < SHORTEST_STUFFED) return terms;
  const distinct = new Set<number>();
  for (const term of terms) {
    distinct.add(term);
    if (distinct.size * MOST_REPEATED > terms.length) return terms;
  }
  return Int32Array.from(distinct);
}

/**
 * The terms that a skill's clauses exclude. Its name and description override them: a clause cannot exclude a word of
 * the skill's name, and the body cannot exclude a word of the description, because "do not use" in a body often refers
 * to a way of doing something.
 */
function exclude(clauses: string, offered: Int32Array, reader: TermReader): Int32Array {
  const kept = new Set(offered);
  return reader.read(clauses, LONGEST_FIELD).filter((term) => !kept.has(term));
}

function headingsOf(body: string): string {
  return [...body.matchAll(HEADING)].map(([, heading]) => heading).join(' . ');
}
