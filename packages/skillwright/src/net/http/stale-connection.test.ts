import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { roundTripOf, timeRoundTrip, wasStale } from './stale-connection.ts';

const STALE = { isReused: true, hasHeard: false, elapsedMs: 5, roundTripMs: 0, code: 'ECONNRESET' };

it.each(['ECONNRESET', 'EPIPE'])('treats a kept connection that breaks at once with %s as stale', (code) => {
  expect(wasStale({ ...STALE, code })).toBe(true);
});

it.each([
  ['it is a new one', { isReused: false }],
  ['something arrived on it', { hasHeard: true }],
  ['it lasted a tenth of a second', { elapsedMs: 100 }],
  ['it lasted more than two round trips', { elapsedMs: 300, roundTripMs: 80 }],
  ['it lasted a second', { elapsedMs: 1_000, roundTripMs: 5_000 }],
  ['the response was malformed', { code: 'HPE_INVALID_CONSTANT' }],
  ['the error has no code', { code: undefined }],
])('does not treat a connection as stale when %s', (_why, difference) => {
  expect(wasStale({ ...STALE, ...difference })).toBe(false);
});

it('treats a kept connection to a distant server as stale if it breaks within two round trips', () => {
  expect(wasStale({ ...STALE, elapsedMs: 400, roundTripMs: 250 })).toBe(true);
});

describe('roundTripOf', () => {
  afterEach(() => void vi.useRealTimers());

  it('measures only the last connection attempt, without the name lookup', () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const socket = new EventEmitter() as Socket;
    timeRoundTrip(socket);
    vi.advanceTimersByTime(900);
    socket.emit('connectionAttempt');
    vi.advanceTimersByTime(70);
    socket.emit('connect');
    expect(roundTripOf(socket)).toBe(70);
  });

  it('returns 0 if it was not measured', () => {
    expect([roundTripOf(undefined), roundTripOf(new EventEmitter())]).toEqual([0, 0]);
  });
});
