import { describe, expect, it } from 'vitest';
import type { Snapshot } from '../../../catalog/snapshot/snapshot.ts';
import { createRuntime } from '../../../runtime.ts';
import { createMemorySource } from '../../../sources/memory-source.ts';
import type { TriggerSetFile } from './trigger-set-files.ts';
import { readTriggerSets } from './trigger-sets.ts';

function openSnapshot(): Snapshot {
  const files = { 'SKILL.md': '---\nname: fence\ndescription: Paints fences.\n---\nPaint.\n' };
  return createRuntime({ sources: [createMemorySource([{ directory: 'fence', files }])] }).catalog.refreshSync();
}

function fileOf(cases: readonly object[]): TriggerSetFile {
  const text = JSON.stringify(cases);
  return { path: 't.json', owner: undefined, isNamed: true, read: () => Buffer.from(text) };
}

describe('readTriggerSets', () => {
  it('reports once how many queries are for a missing skill, and where the first one is', () => {
    const lost = Array.from({ length: 100_000 }, (_, at) => ({ query: `q${at}`, skill: 'gone' }));
    const { cases, diagnostics } = readTriggerSets(
      [fileOf([{ query: 'paint it', skill: 'fence' }, ...lost])],
      openSnapshot(),
    );
    expect(cases.map(({ query }) => query)).toEqual(['paint it']);
    expect(diagnostics).toHaveLength(1);
    expect(diagnostics[0]).toMatchObject({ code: 'trigger-skill', line: 1 });
    expect(diagnostics[0]?.message).toMatch(/^100000 queries cannot be run: skill 'gone' not found\./);
  });
});
