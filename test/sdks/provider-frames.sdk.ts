import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { WireBody, WireFormatName, WireFrame } from '../../packages/skillwright/src/spec/wire.ts';
import { createScriptedModel, type ScriptedTurn } from '../../packages/skillwright/src/testing/index.ts';
import { wireFormat } from '../../packages/skillwright/src/wire/format.ts';
import { RICH_TURN } from './scripted-model.ts';

const run = promisify(execFile);
const here = fileURLToPath(new URL('.', import.meta.url));
const repository = fileURLToPath(new URL('../..', import.meta.url));

/**
 * The vendors' names for the types that we produce. Gemini's types are enums and classes, which JSON never satisfies.
 */
const TYPES: readonly (readonly [WireFormatName, module: string, frame: string, whole: string, request: string])[] = [
  [
    'openai-chat',
    'openai/resources/chat/completions',
    'ChatCompletionChunk',
    'ChatCompletion',
    'ChatCompletionCreateParams',
  ],
  [
    'openai-responses',
    'openai/resources/responses/responses',
    'ResponseStreamEvent',
    'Response',
    'ResponseCreateParams',
  ],
  [
    'anthropic-messages',
    '@anthropic-ai/sdk/resources/messages',
    'RawMessageStreamEvent',
    'Message',
    'MessageCreateParams',
  ],
];

const SCRIPT: readonly ScriptedTurn[] = [
  { reasoning: 'Hm.', text: 'I look.', calls: [{ name: 'load_skill', arguments: { skill: 'x' } }] },
  RICH_TURN,
];

/** Renders a value as TypeScript, like `as const` but not readonly. */
function literal(value: unknown): string {
  return `mutable(${JSON.stringify(value, asDeclared)} as const)`;
}

/**
 * Adapts fields where providers deviate from the declared types: they send null for a missing field, the client itself
 * adds `output_text`, and `reasoning_content` is an extension of other vendors.
 */
function asDeclared(key: string, value: unknown): unknown {
  if (key === 'reasoning_content') return undefined;
  if ((key === 'usage' || key === 'user') && value === null) return undefined;
  const isResponse = typeof value === 'object' && value !== null && 'object' in value && value.object === 'response';
  return isResponse ? { ...value, output_text: '' } : value;
}

const isHidden = (name: string): boolean => name === 'load_skill';

/** Merges two rounds into one stream and one response, as a client receives them. Also returns the second request. */
async function makeAll(name: WireFormatName): Promise<{ frames: unknown[]; whole: unknown; request: WireBody }> {
  const format = wireFormat(name);
  const model = await createScriptedModel({ script: [...SCRIPT, ...SCRIPT] });
  try {
    const tools = [
      { name: 'load_skill', description: 'Loads.', inputSchema: { type: 'object' as const, properties: {} } },
    ];
    const post = (body: WireBody, stream: boolean): Promise<Response> => {
      const { path, headers } = format.target({ model: 'any', stream, apiKey: 'key' });
      return fetch(`${model.baseUrl(name)}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    };
    const first = format.createRequest({ model: 'any', system: 'Be brief.', input: 'Go.', tools, stream: true });
    const writer = format.createStreamWriter({ isHidden, includesUsage: true, clientBody: first });
    const frames: WireFrame[] = [];
    let request = first;
    for (const last of [false, true]) {
      const reader = format.createStreamReader();
      for await (const chunk of (await post(request, true)).body ?? [])
        frames.push(...reader.read(chunk).flatMap((step) => writer.write(step)));
      frames.push(
        ...reader.end().flatMap((step) => writer.write(step)),
        ...(last ? writer.finish() : writer.nextRound()),
      );
      const turn = reader.turn();
      const results = turn.calls.map((call) => ({
        callId: call.id,
        name: call.name,
        content: [{ type: 'text' as const, text: 'Done.' }],
        isError: false,
      }));
      request = format.appendTurn(request, turn, results);
    }
    const wholes = [];
    const { stream: _stream, stream_options: _options, ...asked } = first;
    let body: WireBody = asked;
    for (let round = 0; round < SCRIPT.length; round += 1) {
      const response = (await (await post(body, false)).json()) as WireBody;
      wholes.push({ response, isHidden, clientBody: asked });
      const turn = format.readResponse(response);
      const results = turn.calls.map(({ id, name: tool }) => ({ callId: id, name: tool, content: [], isError: false }));
      body = format.appendTurn(body, turn, results);
    }
    const data = frames.map((frame) => frame.data).filter((text) => text.startsWith('{'));
    return { frames: data.map((text) => JSON.parse(text) as unknown), whole: format.mergeResponses(wholes), request };
  } finally {
    await model.close();
  }
}

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(here, '.frames-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('produces frames, responses and requests that match the vendors’ declared types', async () => {
  for (const [name, module, frameType, wholeType, requestType] of TYPES) {
    const { frames, whole, request } = await makeAll(name);
    expect(frames.length).toBeGreaterThan(5);
    expect(JSON.stringify([frames, whole])).not.toContain('load_skill"');
    const lines = [
      `import type * as vendor from '${module}';`,
      'type Mutable<T> = { -readonly [Key in keyof T]: Mutable<T[Key]> };',
      'const mutable = <T>(value: T): Mutable<T> => value as Mutable<T>;',
      `const isFrame = <T extends vendor.${frameType}>(_value: T): void => {};`,
      `const isWhole = <T extends vendor.${wholeType}>(_value: T): void => {};`,
      `const isRequest = <T extends vendor.${requestType}>(_value: T): void => {};`,
      ...frames.map((frame) => `isFrame(${literal(frame)});`).filter((line) => !line.includes('"ping"')),
      `isWhole(${literal(whole)});`,
      `isRequest(${literal(request)});`,
    ];
    writeFileSync(join(folder, `${name}.ts`), `${lines.join('\n')}\n`);
  }
  const compilerOptions = {
    declaration: false,
    isolatedDeclarations: false,
    exactOptionalPropertyTypes: false,
    types: [],
  };
  const config = { extends: '../tsconfig.json', compilerOptions, include: ['*.ts'], exclude: [] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const tsc = join(repository, 'node_modules/typescript/bin/tsc');
  const { stdout } = await run(process.execPath, [tsc, '--project', folder, '--pretty', 'false']).catch(
    (error: { stdout: string }) => error,
  );
  expect(stdout).toBe('');
}, 120_000);
