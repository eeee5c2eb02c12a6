import { afterEach, describe, expect, it, vi } from 'vitest';
import { requestBody, send, userEntries, type LoopClientOptions } from '../loop/loop-client.ts';
import { SAMPLE_SKILLS, startLoop } from '../loop/loop-gateway.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

describe('a gateway that requires isolation its host lacks', () => {
  it('tells the model that scripts cannot run, offers no tool that runs them, and says in loaded skills what to do', async () => {
    vi.stubEnv('PATH', '/nonexistent');
    const { url, model } = await startLoop({
      model: {
        script: [
          { calls: [{ name: 'load_skill', arguments: { skill: 'word-count' } }] },
          { text: 'It cannot run here.' },
        ],
      },
      config: { skills: SAMPLE_SKILLS, sandbox: { min: 'container' } },
    });
    const options: LoopClientOptions = { url, format: 'openai-chat', stream: false };
    const response = await send(options, requestBody(options, userEntries('openai-chat', 'Count the words.')));
    expect(response.status).toBe(200);
    await response.text();
    const [first, second] = model.requests;
    expect(JSON.stringify(first?.body)).toContain('(its scripts cannot run here: the host requires the tier container');
    const tools = first?.conversation?.tools.map(({ name }) => name) ?? [];
    expect(tools).toContain('load_skill');
    expect(tools).not.toContain('use_skill');
    expect(second?.conversation?.results[0]?.text).toMatch(
      /The scripts of this skill cannot run here: .* Do not imitate them with other tools or services: tell the user/,
    );
  });
});
