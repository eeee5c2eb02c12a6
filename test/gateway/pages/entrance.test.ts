import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { createSkillTree } from '../../support/skill-tree.ts';
import { startRest } from '../rest/rest-gateway.ts';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

function makeSkills(): string {
  const tree = createSkillTree();
  tree.write({
    'secret-plans/SKILL.md': '---\nname: secret-plans\ndescription: Plans of ours.\n---\n\nRead them.\n',
    'other-plans/SKILL.md': '---\nname: other-plans\ndescription: Plans of others.\n---\n\nRead them.\n',
    'off-plans/SKILL.md': '---\nname: off-plans\ndescription: Plans that are off.\nmode: off\n---\n\nRead them.\n',
  });
  return tree.root;
}

describe('GET / without a key', () => {
  it.each([undefined, '*/*', 'application/json', 'application/json, text/html', 'text/html;q=0, */*', 'image/png'])(
    'returns JSON with the number of skills to a program: Accept %s',
    async (accept) => {
      const { url } = await startRest({ skills: [makeSkills()], anonymous: 'off' });
      const response = await fetch(`${url}/`, accept === undefined ? {} : { headers: { accept } });
      expect([response.status, response.headers.get('vary')]).toEqual([200, 'accept']);
      const body = await response.text();
      expect(JSON.parse(body)).toMatchObject({ status: 'ready', docs: '/docs', openapi: '/openapi.json' });
      expect((JSON.parse(body) as { skills: number }).skills).toBeGreaterThanOrEqual(2);
      expect(body).not.toContain('plans');
    },
  );

  it.each([BROWSER, 'text/html', 'application/json;q=0.5, text/html'])(
    'returns a page without names of skills to a browser: Accept %s',
    async (accept) => {
      const { url } = await startRest({ skills: [makeSkills()], anonymous: 'off' });
      const { skills } = (await (await fetch(`${url}/`)).json()) as { skills: number };
      const response = await fetch(`${url}/`, { headers: { accept } });
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
      const policy = response.headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).not.toMatch(/unsafe|https?:|\*/);
      const page = await response.text();
      expect(page).toContain(`${skills} skills`);
      expect(page).toContain('Ready');
      expect(page).toContain(`<code>${url}/v1</code>`);
      expect(page).toContain(`keys create my-app --url ${url}<`);
      expect(page).toContain('href="/docs"');
      expect(page).not.toMatch(/plans|<script|style=/);
    },
  );

  it('counts a skill that is added, and one that is turned off', async () => {
    const root = makeSkills();
    const { url, client } = await startRest({ skills: [root] });
    const manager = await client('manage');
    const count = async (): Promise<number> => ((await (await fetch(`${url}/`)).json()) as { skills: number }).skills;
    const before = await count();
    const { body } = await manager.call('GET', '/api/skills?q=secret-plans');
    const [row] = (body['skills'] ?? body['data']) as { id: string }[];
    await manager.call('PUT', `/api/skills/${row?.id}`, { mode: 'off' });
    expect(await count()).toBe(before - 1);
  });

  it('names the address that the browser used, with https if a proxy in front of the gateway says so', async () => {
    const { url } = await startRest({ allowedHosts: ['gateway.example'] });
    const headers = { accept: BROWSER, host: 'gateway.example', 'x-forwarded-proto': 'https' };
    const page = await new Promise<string>((resolve, reject) => {
      request(url, { headers }, (response) => resolve(text(response)))
        .on('error', reject)
        .end();
    });
    expect(page).toContain('<code>https://gateway.example/v1</code>');
  });

  it('says that the gateway is not ready when its store fails', async () => {
    const { url, gateway } = await startRest();
    await gateway.store.close();
    expect(await (await fetch(`${url}/`)).json()).toMatchObject({ status: 'unavailable' });
    expect(await (await fetch(`${url}/`, { headers: { accept: BROWSER } })).text()).toContain('Not ready');
  });

  it('answers HEAD, which Claude Code sends before its first request', async () => {
    const { url } = await startRest();
    expect((await fetch(`${url}/`, { method: 'HEAD' })).status).toBe(200);
  });
});
