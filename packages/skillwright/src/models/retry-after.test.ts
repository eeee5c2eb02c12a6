import { describe, expect, it } from 'vitest';
import { retryAfterMs } from './retry-after.ts';

const NOW = Date.parse('Mon, 16 Nov 2026 12:00:00 GMT');

describe('the delay that a server asks for', () => {
  it.each([
    [{}, undefined],
    [{ 'retry-after': '20' }, 20_000],
    [{ 'retry-after': ' 1.5 ' }, 1500],
    [{ 'retry-after': '0' }, 0],
    [{ 'retry-after-ms': '250.4', 'retry-after': '9' }, 250],
    [{ 'retry-after-ms': 'soon', 'retry-after': '9' }, 9000],
    [{ 'retry-after': 'Mon, 16 Nov 2026 12:00:30 GMT' }, 30_000],
    [{ 'retry-after': 'Mon, 16 Nov 2026 11:00:00 GMT' }, 0],
    [{ 'retry-after': 'Mon, 16 Nov 2026 15:00:07 GMT', date: 'Mon, 16 Nov 2026 15:00:00 GMT' }, 7000],
    [{ 'retry-after': '-5' }, undefined],
    [{ 'retry-after': '1e9' }, undefined],
    [{ 'retry-after': '99999999999999' }, undefined],
    [{ 'retry-after': 'Infinity' }, undefined],
    [{ 'retry-after': '3, 4' }, undefined],
    [{ 'retry-after': 'in May' }, undefined],
    [{ 'retry-after': 'Xyz, never GMT' }, undefined],
    [{ 'retry-after': '' }, undefined],
  ])('is read from %j', (headers, expected) => {
    expect(retryAfterMs(headers, NOW)).toBe(expected);
  });
});
