import { expect, it } from 'vitest';
import { readBehaviour, type SourceFile } from './source-files.ts';

const MAX_LINES = 400;

function checkSize(files: readonly SourceFile[]): string[] {
  const sizes = files.map(({ path, text }) => ({
    path,
    lines: text.split('\n').length - (text.endsWith('\n') ? 1 : 0),
  }));
  return sizes.filter(({ lines }) => lines > MAX_LINES).map(({ path, lines }) => `${path}: ${lines} lines`);
}

it('no source file has more than 400 lines', () => {
  expect(checkSize(readBehaviour())).toEqual([]);
});

it('a longer file is found', () => {
  const path = 'packages/x/src/a.ts';
  expect(checkSize([{ path, text: 'x\n'.repeat(MAX_LINES) }])).toEqual([]);
  expect(checkSize([{ path, text: 'x\n'.repeat(MAX_LINES + 1) }])).toEqual([`${path}: 401 lines`]);
});
