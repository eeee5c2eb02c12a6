import { expect } from 'vitest';
import type { Sandbox } from '../../../packages/skillwright/src/spec/sandbox.ts';
import { createHandlerBench, failureOf, valueOf, type HandlerRow } from './handler-setup.ts';

const HANDLERS: readonly (readonly [file: string, code: string])[] = [
  ['default.mjs', 'export default async (args) => args;'],
  ['named.mjs', 'export function handler(args) { return args; }'],
  ['common.cjs', 'module.exports = (args) => args;'],
  ['common-named.cjs', 'exports.handler = (args) => args;'],
  ['typed.ts', 'export default (args: Record<string, unknown>): unknown => args;'],
  ['typed.mts', 'export const handler = async (args: unknown): Promise<unknown> => args;'],
  ['typed.cts', 'module.exports = (args: unknown): unknown => args;'],
];
const PYTHON_HANDLERS: readonly (readonly [file: string, code: string])[] = [
  ['plain.py', 'def handler(args):\n    return args\n'],
  ['later.py', 'import asyncio\nasync def handler(args):\n    await asyncio.sleep(0)\n    return args\n'],
  [
    'main.py',
    'def handler(args):\n    return args\nif __name__ == "__main__":\n    raise SystemExit("must not be run as main")\n',
  ],
];

const THROWN: readonly (readonly [code: string, message: unknown])[] = [
  [`throw new Error('no luck')`, 'no luck'],
  [`throw new TypeError()`, 'TypeError'],
  [`throw 'a string'`, 'a string'],
  [`throw null`, 'null'],
  [`throw undefined`, 'undefined'],
  [`throw { code: 7 }`, '{"code":7}'],
  [`throw Symbol('s')`, 'Symbol(s)'],
  [`throw { get message() { throw 1; } }`, 'it threw a value that cannot be shown'],
  [`return Promise.reject(new Error('later'))`, 'later'],
  [`return { then() { throw new Error('not a promise'); } }`, 'not a promise'],
];

const REFUSED: readonly (readonly [code: string, message: RegExp])[] = [
  ['const a = {}; a.a = a; return a;', /circular/i],
  ['return { n: [1n] };', /BigInt/],
  ['return Buffer.from("x");', /binary data; encode it as base64 text/],
  ['return { image: new Uint8Array(3) };', /binary data/],
  ['return new ArrayBuffer(1);', /binary data/],
  ['return { ratio: 0 / 0 };', /NaN/],
  ['return [1 / 0];', /Infinity/],
  ['return () => 1;', /it is a function/],
  ['return Symbol("s");', /it is a symbol/],
  ['return { all: new Map([[1, 2]]) };', /a Map.*return an object/],
  ['return new Set();', /a Set/],
  ['return { toJSON() { throw new Error("no form"); } };', /no form/],
  ['let deep = []; for (let i = 0; i < 800; i += 1) deep = [deep]; return deep;', /nested more than 500 levels/],
  ['let deep = []; for (let i = 0; i < 100000; i += 1) deep = [deep]; return deep;', /nested too deeply/],
];

const REFUSED_OF_PYTHON: readonly (readonly [expression: string, message: RegExp])[] = [
  ['b"x"', /bytes, which is binary; encode it as base64 text/],
  ['[bytearray(2)]', /binary/],
  ['{"n": float("nan")}', /./],
  ['float("inf")', /./],
  ['{1, 2}', /a set/],
  ['object()', /a object/],
  ['{(1, 2): 3}', /keys must be/],
  ['(lambda a: a.append(a) or a)([])', /circular/i],
  ['__import__("functools").reduce(lambda a, _: [a], range(5000), [])', /nested too deeply/],
];

/** The inputs of handlers and their results. */
export function describeHandlerAnswers(row: HandlerRow, sandbox: Sandbox): void {
  const input = { text: 'ünï🎉\n\0\u2028', list: [1, -0.5, null, true], nested: { 'a b': {} }, __proto__x: 1 };

  for (const [file, code] of HANDLERS)
    row(`passes arguments unchanged to ${file}, and returns its answer`, async () => {
      const bench = createHandlerBench(sandbox);
      bench.write(file, code);
      const outcome = await bench.call(file, input);
      expect(valueOf(outcome)).toEqual(input);
      expect(outcome).toMatchObject({ reason: 'exit', exitCode: 0, signal: null, warm: false });
    });

  for (const [file, code] of PYTHON_HANDLERS)
    row(
      `passes arguments unchanged to ${file}, and returns its answer`,
      async () => {
        const bench = createHandlerBench(sandbox);
        bench.write(file, code);
        expect(valueOf(await bench.call(file, input))).toEqual(input);
        expect(await bench.call(file, input)).toMatchObject({ warm: true, answer: { ok: true, value: input } });
      },
      'runsPrograms',
    );

  row('returns null if a handler returns nothing, and dates as text', async () => {
    const bench = createHandlerBench(sandbox);
    bench.write('nothing.mjs', 'export default () => {};');
    bench.write('date.mjs', 'export default () => ({ at: new Date(0), left: undefined });');
    expect(valueOf(await bench.call('nothing.mjs'))).toBe(null);
    expect(valueOf(await bench.call('date.mjs'))).toEqual({ at: '1970-01-01T00:00:00.000Z' });
  });

  row('shares no objects with the caller', async () => {
    const bench = createHandlerBench(sandbox);
    bench.write('keep.mjs', 'export default (args) => { args.list.push(1); return args; };');
    const given = { list: [0] };
    const value = valueOf(await bench.call('keep.mjs', given));
    expect([given, value]).toEqual([{ list: [0] }, { list: [0, 1] }]);
  });

  row('reports what a handler threw, whatever that is', async () => {
    const bench = createHandlerBench(sandbox);
    const told = THROWN.map(async ([code, message], index) => {
      const file = `thrown-${index}.mjs`;
      bench.write(file, `export default () => { ${code} };`);
      const outcome = await bench.call(file);
      expect(failureOf(outcome), code).toEqual(['thrown', message]);
      expect(outcome).toMatchObject({ reason: 'exit', exitCode: 1 });
    });
    await Promise.all(told);
  });

  row('reports where a handler threw', async () => {
    const bench = createHandlerBench(sandbox);
    bench.write('where.mjs', 'export default function inHere() { throw new Error("no luck"); }');
    const { answer } = await bench.call('where.mjs');
    expect(answer).toMatchObject({ kind: 'thrown', stack: expect.stringMatching(/inHere.*where\.mjs/) as string });
  });

  row('distinguishes a file that does not load from one without a handler', async () => {
    const bench = createHandlerBench(sandbox);
    bench.write('broken.mjs', 'export default (');
    bench.write('failing.mjs', 'throw new Error("at load"); export default 1;');
    bench.write('none.mjs', 'export const other = 1; export default { handler: 2 };');
    bench.write('gone.mjs', '');
    const gone = await bench.request('gone.mjs');
    expect(failureOf(await bench.call('broken.mjs'))[0]).toBe('thrown');
    expect(failureOf(await bench.call('failing.mjs'))).toEqual(['thrown', 'at load']);
    expect(failureOf(await bench.call('none.mjs'))).toEqual(['missing', expect.stringContaining('no default export')]);
    expect(failureOf(await bench.pool.call({ ...gone, file: `${gone.file}.gone.mjs` }))[0]).toBe('thrown');
  });

  row('rejects results that JSON cannot represent, and says what to do', async () => {
    const bench = createHandlerBench(sandbox);
    const refusals = REFUSED.map(async ([code, message], index) => {
      const file = `refused-${index}.mjs`;
      bench.write(file, `export default () => { ${code} };`);
      const [kind, told] = failureOf(await bench.call(file));
      expect([kind, String(told)], code).toEqual(['result', expect.stringMatching(message)]);
    });
    await Promise.all(refusals);
  });

  row(
    'rejects results of Python handlers that JSON cannot represent',
    async () => {
      const bench = createHandlerBench(sandbox);
      const refusals = REFUSED_OF_PYTHON.map(async ([expression, message], index) => {
        const file = `refused_${index}.py`;
        bench.write(file, `def handler(args):\n    return ${expression}\n`);
        const [kind, told] = failureOf(await bench.call(file));
        expect([kind, String(told)], expression).toEqual(['result', expect.stringMatching(message)]);
      });
      await Promise.all(refusals);
      bench.write('tuple.py', 'def handler(args):\n    return {"pair": (1, "a"), "none": None}\n');
      expect(valueOf(await bench.call('tuple.py'))).toEqual({ pair: [1, 'a'], none: null });
    },
    'runsPrograms',
  );

  row(
    'reports what a Python handler raised',
    async () => {
      const bench = createHandlerBench(sandbox);
      bench.write('raises.py', 'def handler(args):\n    raise ValueError("no luck")\n');
      bench.write('unshown.py', 'class E(Exception):\n    def __str__(self): raise self\ndef handler(a): raise E()\n');
      bench.write('bare.py', 'def handler(args):\n    raise KeyboardInterrupt\n');
      bench.write('broken.py', 'def handler(:\n');
      bench.write('none.py', 'handler = 1\n');
      const raised = await bench.call('raises.py');
      expect(failureOf(raised)).toEqual(['thrown', 'no luck']);
      expect(raised.answer).toMatchObject({
        stack: expect.stringMatching(/raises\.py", line 2, in handler/) as string,
      });
      expect(failureOf(await bench.call('unshown.py'))[0]).toBe('thrown');
      expect(failureOf(await bench.call('bare.py'))).toEqual(['thrown', 'KeyboardInterrupt']);
      expect(failureOf(await bench.call('broken.py'))[0]).toBe('thrown');
      expect(failureOf(await bench.call('none.py'))).toEqual(['missing', 'it defines no function named handler']);
    },
    'runsPrograms',
  );

  row('passes an argument of 10 MB, and returns results up to the limit', async () => {
    const bench = createHandlerBench(sandbox);
    bench.write('size.mjs', 'export default ({ text }) => text.length;');
    bench.write('fill.mjs', 'export default ({ size }) => "x".repeat(size);');
    expect(valueOf(await bench.call('size.mjs', { text: '漢'.repeat(3_500_000) }))).toBe(3_500_000);
    const size = 1_000_000;
    expect(valueOf(await bench.call('fill.mjs', { size }))).toBe('x'.repeat(size));
    expect(await bench.call('fill.mjs', { size }, { maxResultBytes: 900_000 })).toMatchObject({
      reason: 'exit',
      problem: 'too-large',
    });
    expect(await bench.call('fill.mjs', { size: 50_000_000 })).toMatchObject({ reason: 'exit', problem: 'too-large' });
    expect(valueOf(await bench.call('fill.mjs', { size: 1 }))).toBe('x');
  });

  row('starts nothing for input that JSON cannot represent', async () => {
    const bench = createHandlerBench(sandbox);
    bench.write('any.mjs', 'export default () => 1;');
    const cycle: Record<string, unknown> = {};
    cycle['self'] = cycle;
    const deep = JSON.parse('['.repeat(600) + ']'.repeat(600)) as unknown;
    for (const given of [cycle, { n: 1n }, () => 1, { deep }])
      expect(await bench.call('any.mjs', given)).toMatchObject({
        reason: 'not-started',
        cause: expect.any(Error) as Error,
      });
    expect(bench.pool.stats()).toEqual({ workers: 0, busy: 0, waiting: 0, started: 0 });
  });

  row(
    'gives a handler the id of its call, an empty stdin and the modules beside it',
    async () => {
      const bench = createHandlerBench(sandbox);
      bench.write('beside.py', 'value = "beside"\n');
      bench.write(
        'look.py',
        'import beside, os, sys\ndef handler(args):\n    return [os.environ["SKILL_EXECUTION_ID"], sys.stdin.read(), sys.argv, sys.path[0], __name__ != "__main__", beside.value]\n',
      );
      bench.write('beside.mjs', 'export default "beside";');
      bench.write(
        'look.mjs',
        'import { readFileSync } from "node:fs"; import beside from "./beside.mjs"; export default () => [process.env.SKILL_EXECUTION_ID, readFileSync(0, "utf8"), beside];',
      );
      for (const executionId of ['first-call', 'second-call']) {
        const launch = { executionId };
        expect(valueOf(await bench.call('look.mjs', {}, { launch }))).toEqual([executionId, '', 'beside']);
        const file = `${bench.directory}/look.py`;
        expect(valueOf(await bench.call('look.py', {}, { launch }))).toEqual([
          executionId,
          '',
          [file],
          bench.directory,
          true,
          'beside',
        ]);
      }
    },
    'runsPrograms',
  );
}
