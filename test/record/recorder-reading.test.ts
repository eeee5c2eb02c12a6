import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  readExecutions,
  type RecordDamage,
  type RecordedExecution,
} from '../../packages/skillwright/src/record/files/read-executions.ts';
import { collect, sampleBeginning, sampleEnding } from '../support/execution-sample.ts';
import { createSkillTree, type TreeFiles } from '../support/skill-tree.ts';

const begin = (id: string): string => `${JSON.stringify({ type: 'execution-begin', ...sampleBeginning(id) })}\n`;
const end = (id: string): string => `${JSON.stringify({ type: 'execution-end', ...sampleEnding(id) })}\n`;

async function read(
  files: TreeFiles,
  options?: Parameters<typeof readExecutions>[1],
): Promise<{ found: string[]; damage: RecordDamage }> {
  const reading = readExecutions(createSkillTree(files).path('x.jsonl'), options);
  const found = (await collect(reading)).map(summary);
  return { found, damage: reading.damage };
}

const summary = ({ beginning, ending }: RecordedExecution): string =>
  `${beginning.executionId} ${ending === null ? 'interrupted' : ending.reason}`;

describe('the reader of a record', () => {
  it('returns nothing if there is no record', async () => {
    expect(await read({})).toEqual({ found: [], damage: { torn: 0, garbage: 0, unmatched: 0 } });
  });

  it('pairs beginnings with endings, also across files, and reports the rest as interrupted', async () => {
    const files = {
      'x.jsonl.3': end('dropped') + begin('a'),
      'x.jsonl.2': begin('b'),
      'x.jsonl': end('b') + begin('c') + end('a'),
    };
    const { found, damage } = await read(files);
    expect(found).toEqual(['b exit', 'a exit', 'c interrupted']);
    expect(damage).toEqual({ torn: 0, garbage: 0, unmatched: 1 });
  });

  it('skips and counts invalid lines', async () => {
    const garbage = [
      'not json',
      '[]',
      'null',
      '{}',
      '{"type":"execution-begin"}',
      '{"type":"execution-end","executionId":1}',
    ];
    const bytes = Buffer.concat([
      Buffer.from(`${begin('a')}${garbage.join('\n')}\n\n`),
      Buffer.from([0xff, 0xfe, 0x00, 0x0a]),
      Buffer.from(`${'['.repeat(100_000)}\n${end('a')}${begin('b').slice(0, 50)}`),
    ]);
    const { found, damage } = await read({ 'x.jsonl': bytes });
    expect(found).toEqual(['a exit']);
    expect(damage).toEqual({ torn: 1, garbage: garbage.length + 2, unmatched: 0 });
  });

  it('accepts a complete last line without a line end', async () => {
    const { found, damage } = await read({ 'x.jsonl': begin('a') + end('a').trimEnd() });
    expect(found).toEqual(['a exit']);
    expect(damage.torn).toBe(0);
  });

  it('does not read lines that are too long', async () => {
    const files = { 'x.jsonl': `${begin('a')}${'x'.repeat(300_000)}\n${end('a')}${'y'.repeat(300_000)}` };
    const { found, damage } = await read(files, { maxLineBytes: 1000 });
    expect(found).toEqual(['a exit']);
    expect(damage).toEqual({ torn: 1, garbage: 1, unmatched: 0 });
  });

  it('remembers a limited number of executions without an ending', async () => {
    const files = { 'x.jsonl': ['a', 'b', 'c'].map(begin).join('') + ['a', 'b', 'c'].map(end).join('') };
    const { found, damage } = await read(files, { maxPending: 2 });
    expect(found).toEqual(['a interrupted', 'b exit', 'c exit']);
    expect(damage.unmatched).toBe(1);
  });

  it('reports an execution that begins again as interrupted', async () => {
    const { found } = await read({ 'x.jsonl': begin('a') + begin('a') + end('a') });
    expect(found).toEqual(['a interrupted', 'a exit']);
  });

  it.skipIf(process.platform !== 'linux')('closes its files when the reading stops early', async () => {
    const tree = createSkillTree({
      'x.jsonl': (begin('a') + end('a')).repeat(1000),
      'x.jsonl.1': begin('z') + end('z'),
    });
    const before = readdirSync('/proc/self/fd').length;
    for (let round = 0; round < 20; round += 1)
      for await (const { beginning } of readExecutions(tree.path('x.jsonl'))) if (beginning.executionId === 'a') break;
    expect(readdirSync('/proc/self/fd').length).toBeLessThan(before + 10);
  });
});
