import { readFileSync } from 'node:fs';
import type { RankableSkill } from '../../packages/skillwright/src/spec/ranker.ts';

/** A task with the skills that should, and should not, be found for it. */
export interface LabelledTask {
  readonly text: string;
  /** Ids of the skills that fit; empty if none fits. */
  readonly relevant: readonly string[];
  /** Ids of skills that seem to fit but do not. */
  readonly nearMisses: readonly string[];
  /** The group of skills, usually a repository, that the task was written for. */
  readonly source: string;
  /** Whether the task contains the name of the skill, which makes the task too easy to count. */
  readonly mentionsName: boolean;
}

export interface LabelledSet {
  readonly name: string;
  readonly skills: readonly RankableSkill[];
  readonly tasks: readonly LabelledTask[];
  /** The group of a skill. */
  readonly sourceOf: (id: string) => string;
}

interface PoolLine {
  id: string;
  name: string;
  description: string;
  tags?: string[];
  body_excerpt?: string;
}

interface QueryLine {
  query: string;
  relevant: string[];
  negative_for?: string[];
  source: string;
  mentions_name?: boolean;
}

/** Loads a set from two files of JSON lines: skills with ids `source:name`, and tasks. */
export function readLabelledSet(poolPath: string, queriesPath: string): LabelledSet {
  return {
    name: 'given by path',
    skills: readLines<PoolLine>(poolPath).map(({ id, name, description, tags, body_excerpt: body }) => ({
      id,
      name,
      description,
      tags: tags ?? [],
      body: body ?? '',
    })),
    tasks: readLines<QueryLine>(queriesPath).map((line) => ({
      text: line.query,
      relevant: line.relevant,
      nearMisses: line.negative_for ?? [],
      source: line.source,
      mentionsName: line.mentions_name ?? false,
    })),
    sourceOf: (id) => id.slice(0, id.lastIndexOf(':')),
  };
}

function readLines<T>(path: string): T[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as T);
}
