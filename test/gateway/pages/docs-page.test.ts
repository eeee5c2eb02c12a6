import { describe, expect, it } from 'vitest';
import { startRest } from '../rest/rest-gateway.ts';

describe('the page at /docs', () => {
  it.each([
    ['/docs', 'text/html; charset=utf-8'],
    ['/docs/page.js', 'text/javascript; charset=utf-8'],
    ['/docs/page.css', 'text/css; charset=utf-8'],
  ])('needs no key and loads nothing from other sites: %s', async (path, type) => {
    const { url } = await startRest();
    const response = await fetch(`${url}${path}`);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, type]);
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(await response.text()).not.toMatch(/https?:\/\//);
  });

  it('has a readable script that stores no key and never turns text into markup', async () => {
    const { url } = await startRest();
    const script = await (await fetch(`${url}/docs/page.js`)).text();
    // oxlint-disable-next-line no-implied-eval -- it is only parsed
    expect(() => new Function(`return async () => {${script}}`)).not.toThrow();
    expect(script).not.toMatch(/localStorage|sessionStorage|cookie|innerHTML|outerHTML|insertAdjacentHTML|eval\(/);
  });
});
