import { expect, it } from 'vitest';
import { wasStale } from './stale-connection.ts';

const STALE = { isReused: true, hasHeard: false, elapsedMs: 5, code: 'ECONNRESET' };

it.each(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'])(
  'a kept connection that breaks at once with %s was stale',
  (code) => {
    expect(wasStale({ ...STALE, code })).toBe(true);
  },
);

it.each([
  ['it is a new one', { isReused: false }],
  ['something arrived on it', { hasHeard: true }],
  ['it lasted a second', { elapsedMs: 1_000 }],
  ['the response was malformed', { code: 'HPE_INVALID_CONSTANT' }],
  ['the error has no code', { code: undefined }],
])('a connection was not stale when %s', (_why, difference) => {
  expect(wasStale({ ...STALE, ...difference })).toBe(false);
});
