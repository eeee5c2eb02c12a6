import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Client, type ClientOptions } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { onTestFinished } from 'vitest';
import { makeDirectory, repository, skillFile } from '../cli/cli-runner.ts';
import { environment } from '../cli/running/running-cli.ts';

const program = join(repository, 'packages/skillwright/src/cli.ts');

/** One revision of the protocol with a handshake, and one that is stateless. */
export type Era = '2025-11-25' | '2026-07-28';
export const ERAS: readonly Era[] = ['2025-11-25', '2026-07-28'];

export interface StartedClient {
  readonly client: Client;
  readonly transport: StdioClientTransport;
  /** What the server wrote on standard error. */
  readonly stderr: () => string;
}

export interface ClientSettings {
  readonly cwd: string;
  readonly era?: Era;
  readonly options?: ClientOptions;
}

/** A subclass, because for a plain `StdioClientTransport` the client starts a second process to ask for the revision. */
class OneProcess extends StdioClientTransport {}

/** Starts `skillwright mcp` as a client does, and connects to it. The test ends it. */
export async function startClient(args: readonly string[], settings: ClientSettings): Promise<StartedClient> {
  const started = await connectClient(args, settings);
  onTestFinished(() => started.client.close());
  return started;
}

/** Starts a client that several tests share: the caller closes it. */
export async function connectClient(args: readonly string[], settings: ClientSettings): Promise<StartedClient> {
  const { cwd, era = '2025-11-25', options } = settings;
  const transport = new OneProcess({
    command: process.execPath,
    args: [program, 'mcp', ...args],
    cwd,
    env: environment(cwd),
    stderr: 'pipe',
  });
  let stderr = '';
  transport.stderr?.on('data', (chunk: Buffer) => void (stderr += chunk.toString()));
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    { ...options, ...(era === '2026-07-28' ? { versionNegotiation: { mode: { pin: era } } } : {}) },
  );
  await client.connect(transport);
  return { client, transport, stderr: () => stderr };
}

/** The text of a result, its parts joined. */
export function textOf(result: {
  readonly content?: readonly { readonly type: string; readonly text?: string }[];
}): string {
  return (result.content ?? []).map(({ text }) => text ?? '').join('\n');
}

/** A skill's directory `<name>/`, with these files beside its SKILL.md. */
export function skillFiles(
  name: string,
  files: Readonly<Record<string, string>> = {},
  fields: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const inside = Object.entries(files).map(([path, content]) => [`skills/${name}/${path}`, content]);
  const text = skillFile({ name, description: `Does ${name} when asked for it.`, ...fields }, `Do ${name}.`);
  return { [`skills/${name}/SKILL.md`]: text, ...(Object.fromEntries(inside) as Record<string, string>) };
}

const SUM_TOOLS = [
  {
    name: 'add',
    description: 'Adds two numbers.',
    script: 'scripts/add.mjs',
    parameters: {
      a: { type: 'number', description: 'First number' },
      b: { type: 'number', description: 'Second number' },
    },
  },
  { name: 'picture', description: 'Draws.', script: 'scripts/picture.mjs' },
  { name: 'count', description: 'Counts to three.', script: 'scripts/count.mjs' },
];

const SKILLS: Readonly<Record<string, string>> = {
  ...skillFiles('greet', {
    'scripts/hello.mjs': "console.log(`hello ${process.argv[2]}`);\nconsole.log('in', process.cwd());\n",
    'notes.md': 'one\ntwo\nthree\n',
  }),
  ...skillFiles('sums', {
    'tools.json': JSON.stringify(SUM_TOOLS),
    'scripts/add.mjs': 'export default ({ a, b }) => {\n  console.log("adding");\n  return { sum: a + b };\n};\n',
    'scripts/picture.mjs': "export default () => ({ type: 'image', mimeType: 'image/png', data: 'aGk=' });\n",
    'scripts/count.mjs': 'export default () => [1, 2, 3];\n',
  }),
};

/** A directory with two skills: `greet` has a script and a file, `sums` has tools. The test removes it. */
export function makeSkills(more: Readonly<Record<string, string>> = {}): string {
  return makeDirectory({ ...SKILLS, ...more });
}

/** Makes the same directory for several tests to share: the caller removes it. */
export function writeSkills(more: Readonly<Record<string, string>> = {}): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'skillwright-mcp-')));
  for (const [path, content] of Object.entries({ ...SKILLS, ...more })) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  return root;
}
