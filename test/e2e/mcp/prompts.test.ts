import { describe, expect, it } from 'vitest';
import { ERAS, makeSkills, skillFiles, startClient, textOf } from './mcp-client.ts';

const DEPLOY = {
  arguments: 'target speed',
  'argument-hint': '"[target: staging|production] [speed: slow|fast]"',
  'disable-model-invocation': 'true',
};

function makePrompts(): string {
  return makeSkills({
    ...skillFiles('deploy', {}, DEPLOY),
    'skills/deploy/SKILL.md': [
      '---',
      'name: deploy',
      'description: Puts it online.',
      ...Object.entries(DEPLOY).map(([name, value]) => `${name}: ${value}`),
      '---',
      '',
      'Deploy to $target, $speed.',
      '',
    ].join('\n'),
    ...skillFiles('hidden', {}, { 'user-invocable': 'false' }),
    ...skillFiles('narrow', {}, { 'allowed-tools': 'Read' }),
  });
}

/** The text of a prompt's only message. */
function messageOf({
  messages,
}: {
  readonly messages: readonly { readonly content: { readonly type: string } }[];
}): string {
  return textOf({ content: messages.map(({ content }) => content) });
}

describe.each(ERAS)('prompts in revision %s', (era) => {
  it('are the skills that the user may invoke, with their arguments', async () => {
    const { client } = await startClient(['skills'], { cwd: makePrompts(), era });
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name).toSorted()).toEqual(['deploy', 'greet', 'narrow', 'sums']);
    expect(prompts.find(({ name }) => name === 'deploy')).toMatchObject({
      description: 'Puts it online.',
      arguments: [
        { name: 'target', required: false },
        { name: 'speed', required: false },
      ],
    });
    expect(prompts.find(({ name }) => name === 'greet')?.arguments?.map(({ name }) => name)).toEqual(['arguments']);
  });

  it('have the instructions with the arguments filled in, also of skills that the model may not load', async () => {
    const { client } = await startClient(['skills'], { cwd: makePrompts(), era });
    const named = { target: 'the "new" place', speed: 'fast' };
    const deploy = await client.getPrompt({ name: 'deploy', arguments: named });
    expect(messageOf(deploy)).toContain('Deploy to the "new" place, fast.');
    expect(messageOf(await client.getPrompt({ name: 'deploy', arguments: { speed: 'slow' } }))).toContain(
      'Deploy to , slow.',
    );
    const greet = await client.getPrompt({ name: 'greet', arguments: { arguments: 'Ada and Bo' } });
    expect(messageOf(greet)).toMatch(/^Base directory for this skill: .*Do greet\.\s+ARGUMENTS: Ada and Bo/s);
    await expect(client.getPrompt({ name: 'hidden' })).rejects.toThrow("Unknown prompt 'hidden'");
    await expect(client.getPrompt({ name: '__proto__' })).rejects.toThrow('Unknown prompt');
  });

  it('complete their arguments from the hint', async () => {
    const { client } = await startClient(['skills'], { cwd: makePrompts(), era });
    const complete = async (argument: string, value: string, name = 'deploy'): Promise<readonly string[]> => {
      const ref = { type: 'ref/prompt', name } as const;
      return (await client.complete({ ref, argument: { name: argument, value } })).completion.values;
    };
    expect(await complete('target', '')).toEqual(['staging', 'production']);
    expect(await complete('target', 'pro')).toEqual(['production']);
    expect(await complete('speed', 's')).toEqual(['slow']);
    expect(await complete('other', '')).toEqual([]);
    expect(await complete('arguments', '', 'greet')).toEqual([]);
  });

  it('make their skill active', async () => {
    const { client } = await startClient(['skills'], { cwd: makePrompts(), era });
    const text = messageOf(await client.getPrompt({ name: 'narrow' }));
    const activation = /activation: "([^"]+)"/.exec(text)?.[1];
    expect(activation === undefined).toBe(era === '2025-11-25');
    const refused = await client.callTool({
      name: 'add',
      arguments: { a: 1, b: 2, ...(activation && { activation }) },
    });
    expect(textOf(refused)).toContain("Tool 'add' not allowed for skill 'narrow'");
  });
});
