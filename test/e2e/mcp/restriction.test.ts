import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { makeSkills, skillFiles, startClient, textOf } from './mcp-client.ts';

const REFUSAL = "Tool 'add' not allowed for skill 'narrow'. Allowed tools: ['Read']";

/** The usual skills, and `narrow`, which allows only `Read` and has a tool of its own. */
function makeNarrow(): string {
  const tools = [
    { name: 'measure', description: 'Measures.', script: 'measure.mjs' },
    {
      name: 'switch_on',
      description: 'Switches on.',
      script: 'measure.mjs',
      parameters: { activation: { type: 'string', description: 'How' } },
    },
  ];
  const files = {
    'tools.json': JSON.stringify(tools),
    'measure.mjs': 'export default ({ activation }) => ({ length: 7, activation });\n',
  };
  return makeSkills(skillFiles('narrow', files, { 'allowed-tools': 'Read' }));
}

async function add(client: Client, more: Readonly<Record<string, unknown>> = {}): Promise<string> {
  return textOf(await client.callTool({ name: 'add', arguments: { a: 1, b: 2, ...more } }));
}

async function load(client: Client, args: Readonly<Record<string, unknown>>): Promise<string> {
  return textOf(await client.callTool({ name: 'load_skill', arguments: args }));
}

/** The handle in the text of a load. */
function handleIn(text: string): string {
  return /activation: "([^"]+)"/.exec(text)?.[1] ?? '';
}

describe('a connection with a session', () => {
  it('refuses tools outside the list of the active skill, and no others', async () => {
    const { client } = await startClient(['skills'], { cwd: makeNarrow() });
    expect(await add(client)).toContain('3');
    expect(await load(client, { skill: 'narrow' })).not.toContain('activation');
    const refused = await client.callTool({ name: 'add', arguments: { a: 1, b: 2 } });
    expect(refused.isError).toBe(true);
    expect(textOf(refused)).toContain(REFUSAL);
    expect(refused.structuredContent).toMatchObject({ code: 'ToolRestricted' });
    expect(textOf(await client.callTool({ name: 'measure' }))).toContain('7');
  });

  it('restricts no longer when another skill is loaded, or when the skill is ended', async () => {
    const { client } = await startClient(['skills'], { cwd: makeNarrow() });
    await load(client, { skill: 'narrow' });
    await load(client, { skill: 'not-there' });
    expect(await add(client)).toContain(REFUSAL);
    await load(client, { skill: 'sums' });
    expect(await add(client)).toContain('3');
    await load(client, { skill: 'narrow' });
    expect(await load(client, { skill: 'narrow', end: true })).toBe('The skill is no longer active.');
    expect(await add(client)).toContain('3');
    expect(await load(client, { skill: 'narrow', end: true })).toBe('No skill was active.');
  });

  it('has no further arguments than `end`, because it remembers the skill itself', async () => {
    const { client } = await startClient(['skills'], { cwd: makeNarrow() });
    const { tools } = await client.listTools();
    const propertiesOf = (name: string): string[] =>
      Object.keys(tools.find((tool) => tool.name === name)?.inputSchema.properties ?? {});
    expect(propertiesOf('load_skill')).toContain('end');
    expect(propertiesOf('add')).toEqual(['a', 'b']);
  });
});

describe('a client without a session', () => {
  const era = '2026-07-28';

  it('passes the activation that a load returned', async () => {
    const { client } = await startClient(['skills'], { cwd: makeNarrow(), era });
    const activation = handleIn(await load(client, { skill: 'narrow' }));
    expect(activation).not.toBe('');
    expect(await add(client, { activation })).toContain(REFUSAL);
    expect(textOf(await client.callTool({ name: 'measure', arguments: { activation } }))).toBe('{"length":7}');
    const path = { skill: 'greet', path: 'notes.md', activation };
    expect(textOf(await client.callTool({ name: 'read_skill_file', arguments: path }))).toContain('two');
    // The server must not remember anything between requests.
    expect(await add(client)).toContain('3');
  });

  it('is told about the argument `activation`, unless a tool has an argument of that name', async () => {
    const { client } = await startClient(['skills'], { cwd: makeNarrow(), era });
    const { tools } = await client.listTools();
    const activationOf = (name: string): unknown =>
      tools.find((tool) => tool.name === name)?.inputSchema.properties?.['activation'];
    for (const name of ['load_skill', 'use_skill', 'read_skill_file', 'add'])
      expect(activationOf(name)).toMatchObject({ description: expect.stringContaining('load_skill') as string });
    expect(activationOf('switch_on')).toEqual({ type: 'string', description: 'How' });
    const own = await client.callTool({ name: 'switch_on', arguments: { activation: 'slowly' } });
    expect(own.structuredContent).toEqual({ length: 7, activation: 'slowly' });
  });

  it('is told nothing about activations if no skill restricts', async () => {
    const { client } = await startClient(['skills'], { cwd: makeSkills(), era });
    expect(JSON.stringify(await client.listTools())).not.toContain('activation');
    expect(await load(client, { skill: 'sums' })).not.toContain('activation');
  });

  it('cannot use an activation that was made up, ended, replaced, or given by another process', async () => {
    const cwd = makeNarrow();
    const [{ client }, other] = await Promise.all([
      startClient(['skills'], { cwd, era }),
      startClient(['skills'], { cwd, era }),
    ]);
    const foreign = handleIn(await load(other.client, { skill: 'narrow' }));
    const ended = handleIn(await load(client, { skill: 'narrow' }));
    expect(await load(client, { skill: 'narrow', end: true, activation: ended })).toBe(
      'The skill is no longer active.',
    );
    const replaced = handleIn(await load(client, { skill: 'narrow' }));
    const latest = handleIn(await load(client, { skill: 'narrow', activation: replaced }));
    const made = [foreign, ended, replaced, '', 'narrow', `${latest} `, '__proto__', 7, null, { handle: latest }];
    for (const activation of made) {
      const text = await add(client, { activation });
      expect(text).toContain('There is no such activation. Load the skill again');
    }
    expect(await add(client, { activation: latest })).toContain(REFUSAL);
  });

  it('cannot use an activation of a skill that has changed', async () => {
    const cwd = makeNarrow();
    const { client } = await startClient(['skills'], { cwd, era });
    const activation = handleIn(await load(client, { skill: 'narrow' }));
    expect(await add(client, { activation })).toContain(REFUSAL);
    appendFileSync(join(cwd, 'skills/narrow/SKILL.md'), 'More.\n');
    await expect.poll(() => add(client, { activation })).toContain('There is no such activation');
    const renewed = handleIn(await load(client, { skill: 'narrow' }));
    expect(await add(client, { activation: renewed })).toContain(REFUSAL);
  });
});
