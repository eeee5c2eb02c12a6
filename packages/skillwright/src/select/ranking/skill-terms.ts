import type { RankableSkill } from '../../spec/ranker.ts';
import { BODY_PARTS, HEAD } from './field-bits.ts';
import { LONGEST_BODY, LONGEST_FIELD, LONGEST_SCOPE } from './lexical-weights.ts';
import type { TermCounter } from './term-counter.ts';
import type { TermReader } from './term-reader.ts';
import { splitScope } from './text-scope.ts';

/** The terms of a skill's head in order, field by field. */
export interface HeadTerms {
  readonly name: Int32Array;
  readonly description: Int32Array;
  readonly tags: Int32Array;
}

const SHORTEST_STUFFED = 100;
const MOST_REPEATED = 8;

/** Level 2 and below: the title repeats the name, and a single `#` is a comment in most code. */
const HEADING = /^#{2,6}[ \t]+(\S.*)$/gm;

/** Reads the head and leaves its counts in the counter. */
export function countHead(skill: RankableSkill, reader: TermReader, counter: TermCounter): HeadTerms {
  const text = [skill.description, skill.whenToUse ?? ''].join(' . ').slice(0, LONGEST_FIELD);
  const scope = splitScope(text);
  const terms: HeadTerms = {
    name: reader.read(skill.name, LONGEST_FIELD),
    description: reader.read(scope.included, LONGEST_FIELD),
    tags: reader.read((skill.tags ?? []).join(' . '), LONGEST_FIELD),
  };
  counter.add(terms.name, HEAD.name);
  counter.add(withoutStuffing(terms.description), HEAD.description);
  counter.add(withoutStuffing(terms.tags), HEAD.tags);
  counter.add(exclude(scope.excluded, new Set(terms.name), reader), HEAD.excluded);
  return terms;
}

/** Reads the body, leaves its counts in the counter and returns its terms in order. */
export function countBody(
  body: string,
  name: ReadonlySet<number>,
  reader: TermReader,
  counter: TermCounter,
): Int32Array {
  const read = body.slice(0, LONGEST_BODY);
  const scope = splitScope(read.slice(0, LONGEST_SCOPE));
  const text = scope.excluded === '' ? read : scope.included + read.slice(LONGEST_SCOPE);
  const terms = reader.read(text, LONGEST_BODY);
  counter.add(withoutStuffing(terms), BODY_PARTS.text);
  counter.add(reader.read(headingsOf(text), LONGEST_FIELD), BODY_PARTS.headings);
  counter.add(exclude(scope.excluded, name, reader), BODY_PARTS.excluded);
  return terms;
}

/**
 * A text that says each of its words many times over is made for rankers: its words count once each. It stays as long as
 * it is, and is discounted for that. Real texts say a word two to four times on average.
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

/** What a skill is named for it is not against, whatever the clause says. */
function exclude(clauses: string, name: ReadonlySet<number>, reader: TermReader): Int32Array {
  return reader.read(clauses, LONGEST_FIELD).filter((term) => !name.has(term));
}

function headingsOf(body: string): string {
  return [...body.matchAll(HEADING)].map(([, heading]) => heading).join(' . ');
}
