import { existsSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isHeldLock, withFileLock } from './file-lock.ts';

function makeFile(): string {
  const directory = mkdtempSync(join(tmpdir(), 'file-lock-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return join(directory, 'file');
}

const LONG_AGO = new Date(0);

describe('a lock of a file', () => {
  it('exists while the work runs, and is gone afterward', async () => {
    const file = makeFile();
    expect(await withFileLock(file, () => existsSync(`${file}.lock`))).toBe(true);
    expect(existsSync(`${file}.lock`)).toBe(false);
  });

  it('is removed when the work fails', async () => {
    const file = makeFile();
    const work = (): void => {
      throw new TypeError('no');
    };
    await expect(withFileLock(file, work)).rejects.toThrow('no');
    expect(existsSync(`${file}.lock`)).toBe(false);
  });

  it.each([
    ['a running process', `${process.pid} ${hostname()}`],
    ['a process of another machine', '1 elsewhere'],
    ['nobody yet', ''],
  ])('is left alone if it belongs to %s, and names its owner', async (_what, owner) => {
    const file = makeFile();
    writeFileSync(`${file}.lock`, owner);
    const answer = await withFileLock(file, () => 'done', { waitMs: 0 });
    expect(answer).toEqual({ held: true, lock: `${file}.lock`, owner });
    expect(isHeldLock(answer)).toBe(true);
    expect(existsSync(`${file}.lock`)).toBe(true);
  });

  it('is taken over if it has no owner and is old', async () => {
    const file = makeFile();
    writeFileSync(`${file}.lock`, '');
    utimesSync(`${file}.lock`, LONG_AGO, LONG_AGO);
    expect(await withFileLock(file, () => 'done')).toBe('done');
  });

  it('is taken over eventually if an earlier takeover was interrupted', async () => {
    const file = makeFile();
    for (const name of ['lock', 'lock.break']) {
      writeFileSync(`${file}.${name}`, '');
      utimesSync(`${file}.${name}`, LONG_AGO, LONG_AGO);
    }
    expect(await withFileLock(file, () => 'done')).toBe('done');
    expect(existsSync(`${file}.lock.break`)).toBe(false);
  });
});
