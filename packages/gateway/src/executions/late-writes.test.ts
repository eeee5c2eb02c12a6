import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { GatewayError } from '../spec/gateway-error.ts';
import { createLateWrites } from './late-writes.ts';

describe('a failed write', () => {
  it('is retried until it succeeds, before later writes', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const errors: unknown[] = [];
    const late = createLateWrites((error) => errors.push(error));
    const written: string[] = [];
    let isFull = true;
    const write = (name: string) => async (): Promise<void> => {
      if (isFull) throw new GatewayError('StoreFull', 'The disk is full.');
      written.push(name);
    };
    await late.write(write('first'));
    await late.write(write('second'));
    expect(written).toEqual([]);
    isFull = false;
    await vi.advanceTimersByTimeAsync(5_000);
    expect(written).toEqual(['first', 'second']);
    expect(errors.length).toBeGreaterThan(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is given up without blocking later writes if it can never succeed', async () => {
    const errors: unknown[] = [];
    const late = createLateWrites((error) => errors.push(error));
    await late.write(() => Promise.reject(new TypeError('never')));
    let isWritten = false;
    await late.write(async () => {
      isWritten = true;
    });
    expect(isWritten).toBe(true);
    expect(errors).toHaveLength(1);
  });

  it('is retried once more on close', async () => {
    const late = createLateWrites(() => undefined);
    let tries = 0;
    await late.write(async () => {
      tries += 1;
      if (tries < 3) throw new GatewayError('StoreFull', 'The disk is full.');
    });
    await late.close();
    expect(tries).toBe(3);
  });
});

it('concurrent writes keep their order, and each resolves once it is written', async () => {
  const late = createLateWrites((error) => expect.unreachable(String(error)));
  const written: number[] = [];
  await Promise.all(
    Array.from({ length: 20 }, async (_, place) => {
      await late.write(async () => {
        await new Promise(setImmediate);
        written.push(place);
      });
      expect(written).toContain(place);
    }),
  );
  expect(written).toEqual(Array.from({ length: 20 }, (_, place) => place));
});
