import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { countProcesses } from '../cli/running/running-cli.ts';
import { ERAS, makeSkills, skillFiles, startClient, textOf } from './mcp-client.ts';
import { startServer } from './raw-server.ts';

/** Prints a line and never ends. */
const ENDLESS = "console.log('started');\nsetInterval(() => {}, 1000);\n";
const STEPS = `
  const steps = Number(process.argv[2]);
  for (let step = 1; step <= steps; step += 1) {
    console.log('step ' + step);
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
`;

function makeSlowSkills(): string {
  return makeSkills(skillFiles('slow', { 'endless.mjs': ENDLESS, 'steps.mjs': STEPS }));
}

/** A call of the endless script with a unique argument, by which a test finds its process. */
function endlessCall(word: string): { name: string; arguments: Record<string, unknown> } {
  return { name: 'use_skill', arguments: { skill: 'slow', script: 'endless.mjs', args: [word] } };
}

describe('standard output', () => {
  it('carries the protocol and nothing else, whatever a handler prints', async () => {
    const server = startServer(['skills'], { cwd: makeSkills() });
    await server.initialize();
    const { result } = await server.ask('tools/call', { name: 'add', arguments: { a: 1, b: 2 } });
    expect(result).toMatchObject({ structuredContent: { sum: 3 } });
    server.endInput();
    expect(await server.ended).toBe(0);
    expect(server.lines.map((line) => JSON.parse(line) as object)).toEqual([
      expect.objectContaining({ jsonrpc: '2.0', id: 1 }),
      expect.objectContaining({ jsonrpc: '2.0', id: 2 }),
    ]);
    expect(server.stderr()).toBe('');
  });

  it('stays empty if the server cannot start', async () => {
    const server = startServer(['not-there'], { cwd: makeSkills() });
    expect(await server.ended).toBe(1);
    expect(server.lines).toEqual([]);
    expect(server.stderr()).toContain('not-there');
  });
});

describe('the server ends', () => {
  it('when its input ends, before and after the first message', async () => {
    const silent = startServer(['skills'], { cwd: makeSkills() });
    silent.endInput();
    expect(await silent.ended).toBe(0);
    const server = startServer(['skills'], { cwd: makeSkills() });
    await server.initialize();
    server.endInput();
    expect(await server.ended).toBe(0);
  });

  it('when its client dies, and ends what it runs', async () => {
    const word = randomUUID();
    const server = startServer(['skills'], { cwd: makeSlowSkills() });
    await server.initialize();
    server.send({ id: 'run', method: 'tools/call', params: endlessCall(word) });
    await expect.poll(() => countProcesses(word)).toBeGreaterThan(0);
    server.vanish();
    expect(await server.ended).toBe(0);
    await expect.poll(() => countProcesses(word)).toBe(0);
  });

  it('when a signal ends it, and ends what it runs', async () => {
    const word = randomUUID();
    const server = startServer(['skills'], { cwd: makeSlowSkills() });
    await server.initialize();
    server.send({ id: 'run', method: 'tools/call', params: endlessCall(word) });
    await expect.poll(() => countProcesses(word)).toBeGreaterThan(0);
    server.signal('SIGTERM');
    expect(await server.ended).toBe(0);
    await expect.poll(() => countProcesses(word)).toBe(0);
  });
});

describe.each(ERAS)('a call in revision %s', (era) => {
  it('ends with its process when the client cancels it', async () => {
    const word = randomUUID();
    const { client } = await startClient(['skills'], { cwd: makeSlowSkills(), era });
    const abort = new AbortController();
    const call = client.callTool(endlessCall(word), { signal: abort.signal });
    call.catch(() => {});
    await expect.poll(() => countProcesses(word)).toBeGreaterThan(0);
    abort.abort();
    await expect(call).rejects.toThrow(/abort/i);
    await expect.poll(() => countProcesses(word)).toBe(0);
    expect(textOf(await client.callTool({ name: 'add', arguments: { a: 1, b: 1 } }))).toContain('2');
  });

  it('sends what a script prints as progress, if the client asks for it', async () => {
    const { client } = await startClient(['skills'], { cwd: makeSlowSkills(), era });
    const seen: { readonly progress: number; readonly message?: string | undefined }[] = [];
    const call = { name: 'use_skill', arguments: { skill: 'slow', script: 'steps.mjs', args: ['5'] } };
    await client.callTool(call, { onprogress: (update) => void seen.push(update) });
    // On a busy machine, several lines arrive at once.
    expect(seen.length).toBeGreaterThan(0);
    const steps = seen.map(({ message }) => Number(/^step ([1-5])$/.exec(message ?? '')?.[1]));
    expect(steps).toEqual([...new Set(steps)].toSorted((a, b) => a - b));
    expect(seen.map(({ progress }) => progress)).toEqual(seen.map((_, index) => index + 1));
  });
});

it('runs a limited number of calls at once, and all of them in the end', async () => {
  const server = startServer(['skills'], { cwd: makeSkills() });
  await server.initialize();
  for (let id = 1_000; id < 2_000; id += 1)
    server.send({ id, method: 'tools/call', params: { name: 'add', arguments: { a: id, b: 1 } } });
  await expect.poll(() => server.messages.length).toBe(1_001);
  const sums = server.messages.slice(1).map(({ id, result }) => [id, result?.['structuredContent']]);
  expect(new Map(sums as [number, unknown][]).get(1_999)).toEqual({ sum: 2_000 });
});
