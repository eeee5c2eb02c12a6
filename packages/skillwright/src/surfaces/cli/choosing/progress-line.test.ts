import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { CliContext } from '../context.ts';
import { createProgressLine } from './progress-line.ts';

function start(overrides: Partial<CliContext> = {}) {
  const written: string[] = [];
  const stderr = { write: (text: string) => void written.push(text) };
  const context = { stderr, isErrorTty: true, env: {}, ...overrides } as unknown as CliContext;
  return { written, line: createProgressLine(context, 'Query') };
}

describe('createProgressLine', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
  afterEach(() => void vi.useRealTimers());

  it('stays silent during short work', () => {
    const { written, line } = start();
    line.show(1, 2);
    line.end();
    expect(written).toEqual([]);
  });

  it('shows the progress of long work, and removes the line at the end', () => {
    const { written, line } = start();
    vi.advanceTimersByTime(600);
    line.show(1_234, 10_000);
    line.show(1_235, 10_000);
    line.end();
    expect(written).toEqual(['\r\u001B[KQuery 1,234 of 10,000', '\r\u001B[K']);
  });

  it.each([{ isErrorTty: false }, { env: { TERM: 'dumb' } }])('is silent without a terminal: %j', (overrides) => {
    const { written, line } = start(overrides);
    vi.advanceTimersByTime(600);
    line.show(1, 2);
    line.end();
    expect(written).toEqual([]);
  });
});
