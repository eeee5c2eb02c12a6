import { describe, expect, it } from 'vitest';
import { isSameStamp, isSettled } from './stamp.ts';

const STAMP = { dev: 1, ino: 2, size: 3, mtimeMs: 10_000, ctimeMs: 20_000 };

describe('stamps', () => {
  it.each(['dev', 'ino', 'size', 'mtimeMs', 'ctimeMs'])('differ if their %s differs', (field) => {
    expect(isSameStamp(STAMP, { ...STAMP })).toBe(true);
    expect(isSameStamp(STAMP, { ...STAMP, [field]: 99 })).toBe(false);
  });

  it('are settled two seconds after the later of their times, and never if that is in the future', () => {
    expect(isSettled(STAMP, 22_000)).toBe(false);
    expect(isSettled(STAMP, 22_001)).toBe(true);
    expect(isSettled({ ...STAMP, mtimeMs: 30_000 }, 22_001)).toBe(false);
  });
});
