import { crc32 } from 'node:zlib';
import type { SkillRecord } from '../../catalog/snapshot/skill-record.ts';
import type { Snapshot } from '../../catalog/snapshot/snapshot.ts';
import { parseSkillBody } from '../../parse/skill/skill-body.ts';
import { isSameStamp } from '../../sources/stamp.ts';
import type { RankableSkill } from '../../spec/ranker.ts';
import type { SkillMetadata } from '../../spec/skill.ts';
import { type IndexedState, type KeptIndex, NO_BODY } from './kept-index.ts';
import { imageOf, restoreIndex } from '../ranking/index/index-image.ts';
import { LexicalIndex } from '../ranking/index/lexical-index.ts';

const SLICE_MS = 8;

/**
 * The lexical index of a snapshot's skills, by name, built in slices: from an earlier index if a skill is unchanged,
 * otherwise anew.
 */
export class SnapshotIndex {
  readonly #snapshot: Snapshot;
  readonly #maxBytes: number;
  readonly #states = new Map<string, IndexedState>();
  #index = new LexicalIndex();
  #changes = 0;

  /** Instructions longer than `maxBytes` are not indexed. */
  constructor(snapshot: Snapshot, maxBytes: number) {
    this.#snapshot = snapshot;
    this.#maxBytes = maxBytes;
  }

  /** How many skills differ from the earlier index that this index started from. */
  get changes(): number {
    return this.#changes;
  }

  /** The index, once it knows every skill; new skills are indexed by their heads. */
  *open(kept: KeptIndex | undefined): Generator<void, LexicalIndex, void> {
    if (kept !== undefined) yield* this.#restore(kept);
    const isSliceOver = createSlices();
    for (const skill of this.#snapshot.skills) {
      if (this.#states.has(skill.name)) continue;
      const head = toRankable(skill);
      this.#index.add(head);
      this.#note(head.id, { head: digestHead(head), body: NO_BODY, stamp: undefined });
      if (isSliceOver()) yield;
    }
    return this.#index;
  }

  /** Reads instructions whose files may have changed, and indexes those that have. */
  *readBodies(): Generator<void, void, void> {
    const isSliceOver = createSlices();
    for (const skill of this.#snapshot.skills) {
      const record = this.#snapshot.recordOf(skill);
      const state = this.#states.get(skill.name);
      if (record === undefined || state === undefined || isStill(record, state)) continue;
      this.#readBody(record, state);
      if (isSliceOver()) yield;
    }
  }

  /** The state to continue from, here or in another process. The index must not change meanwhile. */
  *keep(): Generator<void, KeptIndex, void> {
    const { ids, image } = yield* imageOf(this.#index);
    return { ids, image, states: ids.map((id) => this.#states.get(id) ?? UNKNOWN) };
  }

  *#restore({ ids, states, image }: KeptIndex): Generator<void, void, void> {
    const places = new Map(ids.map((id, place) => [id, place]));
    const heads: (RankableSkill | undefined)[] = ids.map(() => undefined);
    let same = 0;
    for (const skill of this.#snapshot.skills) {
      const place = places.get(skill.name);
      const head = toRankable(skill);
      if (place === undefined || states[place]?.head !== digestHead(head)) continue;
      heads[place] = head;
      same += 1;
    }
    yield;
    const index = yield* tryRestore(image, heads);
    if (index === undefined) return;
    this.#index = index;
    this.#changes += ids.length - same;
    for (const [place, head] of heads.entries())
      if (head !== undefined) this.#states.set(head.id, states[place] ?? UNKNOWN);
  }

  #readBody(record: SkillRecord, state: IndexedState): void {
    const { name } = record.metadata;
    const text = readBody(record, this.#maxBytes);
    const body = text === undefined ? NO_BODY : digestOf(text);
    const stamp = this.#snapshot.settledStamp(record);
    if (body !== state.body) {
      if (text === undefined) this.#index.add(toRankable(record.metadata));
      else this.#index.setBody(name, text);
    } else if (stamp === undefined) return;
    this.#note(name, { head: state.head, body, stamp });
  }

  #note(name: string, state: IndexedState): void {
    this.#changes += 1;
    this.#states.set(name, state);
  }
}

/**
 * Restores an index. Returns `undefined` if memory is short or the image is invalid: then everything is indexed anew.
 */
function* tryRestore(...what: Parameters<typeof restoreIndex>): ReturnType<typeof restoreIndex> {
  try {
    return yield* restoreIndex(...what);
  } catch {
    return undefined;
  }
}

const UNKNOWN: IndexedState = { head: NaN, body: NaN, stamp: undefined };

/**
 * Whether the indexed instructions are still current. If a file was edited and cannot be read, the instructions indexed
 * before still count.
 */
function isStill({ stamp, outdated }: SkillRecord, state: IndexedState): boolean {
  if (outdated === true) return state.body !== NO_BODY;
  return stamp !== undefined && state.stamp !== undefined && isSameStamp(stamp, state.stamp);
}

/** Reads a skill's instructions without the cache, because ranking a skill does not load it. */
function readBody({ files }: SkillRecord, maxBytes: number): string | undefined {
  try {
    const parsed = parseSkillBody(files.readSkillSync(maxBytes));
    return parsed.ok ? parsed.body : undefined;
  } catch {
    // The skill is still ranked by its other fields. Loading the skill reports the reason.
    return undefined;
  }
}

export function toRankable({ name, description, whenToUse, tags }: SkillMetadata): RankableSkill {
  return { id: name, name, description, whenToUse, tags };
}

function digestHead({ name, description, whenToUse, tags }: RankableSkill): number {
  return digestOf(`${name}\0${description}\0${whenToUse}\0${tags?.join('\0')}`);
}

/** A hash that changes when a text is edited. */
function digestOf(text: string): number {
  return (text.length % 2 ** 20) * 2 ** 32 + crc32(text);
}

/** Reports when a slice of time is over. */
function createSlices(): () => boolean {
  let end = performance.now() + SLICE_MS;
  return () => {
    if (performance.now() < end) return false;
    end = performance.now() + SLICE_MS;
    return true;
  };
}
