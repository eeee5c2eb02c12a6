import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readHandlerOutput } from './handler-output.ts';

const MARK = '\0mark';

/** The output that a call gets from a text in chunks of these sizes, and whether the call's mark was found. */
function readPieces(text: string, sizes: readonly number[]): { passed: string; isWhole: boolean } {
  const stream = Object.assign(new EventEmitter(), { destroy: () => {} });
  const call = readHandlerOutput(stream).begin(MARK, 1_000_000, () => {});
  const bytes = Buffer.from(text);
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const end = at + (sizes[turn % sizes.length] ?? 1);
    stream.emit('data', bytes.subarray(at, end));
    at = end;
  }
  return { passed: call.result().text, isWhole: call.isWhole };
}

describe("the mark at the end of a call's output", () => {
  it('is found however it is split, and is not part of the output', () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 5 });
    const text = fc.string({ unit: fc.constantFrom('\0', 'm', 'a', 'r', 'x', '漢') });
    fc.assert(
      fc.property(text, text, sizes, (before, after, cuts) => {
        const whole = `${before}${MARK}k${after}`;
        expect(readPieces(whole, cuts)).toEqual({ passed: whole.slice(0, whole.indexOf(MARK)), isWhole: true });
      }),
    );
  });

  it('holds back no output at the end of the stream if the mark never comes', () => {
    expect(readPieces('a\0mar', [2])).toEqual({ passed: 'a\0mar', isWhole: false });
    expect(readPieces('\0ma\0mar\0', [1])).toEqual({ passed: '\0ma\0mar\0', isWhole: false });
  });
});

describe('a stream shared by calls', () => {
  it('gives each call its own output, and drops output between calls', async () => {
    const stream = new PassThrough();
    const output = readHandlerOutput(stream);
    const live: string[] = [];
    const first = output.begin('\0one', 100, (chunk) => live.push(chunk.toString()));
    stream.write('first\0o');
    stream.write('nebetween');
    await first.settled;
    expect([first.isWhole, first.result().text]).toEqual([true, 'first']);
    stream.write('between');
    await new Promise(setImmediate);
    const second = output.begin('\0two', 3, (chunk) => live.push(chunk.toString()));
    stream.write('second\0two');
    await second.settled;
    expect(second.result()).toEqual({ text: 'sec\n[output truncated]', truncated: true, bytes: 6 });
    expect(live).toEqual(['first', 'sec']);
  });

  it("settles a call when the stream closes before the call's end mark", async () => {
    const stream = new PassThrough();
    const call = readHandlerOutput(stream).begin(MARK, 100, () => {});
    stream.end('unfinished\0m');
    await call.settled;
    expect([call.isWhole, call.result().text]).toEqual([false, 'unfinished\0m']);
  });
});
