import { describe, expect, it } from 'vitest';
import { isRedirect, nextHop, type Hop } from './redirect.ts';
import { parseRequestUrl } from './request-url.ts';

const body = new TextEncoder().encode('{}');
const headers = {
  accept: '*/*',
  authorization: 'Bearer x',
  cookie: 'a=b',
  'x-api-key': 'k',
  'content-type': 'application/json',
};

function hop(url: string, method: string): Hop {
  return { url: parseRequestUrl(url), method, headers, ...(method === 'GET' || method === 'HEAD' ? {} : { body }) };
}

describe('nextHop', () => {
  it.each([
    [301, 'POST', 'GET'],
    [302, 'POST', 'GET'],
    [303, 'POST', 'GET'],
    [303, 'PUT', 'GET'],
    [303, 'HEAD', 'HEAD'],
    [301, 'PUT', 'PUT'],
    [302, 'GET', 'GET'],
    [307, 'POST', 'POST'],
    [308, 'DELETE', 'DELETE'],
  ])('after %i, turns %s into %s, and keeps the body only if the method stays the same', (status, method, next) => {
    const result = nextHop(hop('https://a.example/x', method), status, '/y');
    expect(result.method).toBe(next);
    expect(result.url.href).toBe('https://a.example/y');
    const keepsBody = method === next && method !== 'GET' && method !== 'HEAD';
    expect(result.body).toBe(keepsBody ? body : undefined);
    expect('content-type' in result.headers).toBe(method === next);
    expect(result.headers).toMatchObject({ authorization: 'Bearer x', cookie: 'a=b', 'x-api-key': 'k' });
  });

  it.each(['https://b.example/', 'https://a.example:8443/', 'https://sub.a.example/', '//b.example'])(
    'keeps secrets from another origin: %s',
    (location) => {
      const result = nextHop(hop('https://a.example/x', 'POST'), 307, location);
      expect(result.headers).toEqual({ accept: '*/*', 'content-type': 'application/json' });
      expect(result.body).toBe(body);
    },
  );

  it('treats an explicit default port as the same origin', () => {
    expect(nextHop(hop('https://a.example/x', 'GET'), 302, 'https://A.example.:443/').headers).toEqual(headers);
  });

  it('refuses a redirect from https back to http', () => {
    expect(() => nextHop(hop('https://a.example/', 'GET'), 302, 'http://a.example/')).toThrow(
      expect.objectContaining({ code: 'RedirectRefused' }),
    );
  });

  it.each(['file:///etc/passwd', 'http://user:pass@b.example/', 'http://a..b/', 'javascript:x'])(
    'refuses %s in a redirect, too',
    (location) => {
      expect(() => nextHop(hop('http://a.example/', 'GET'), 302, location)).toThrow(
        expect.objectContaining({ code: 'UrlNotAllowed' }),
      );
    },
  );

  it('recognizes five redirect statuses, but only if the response has a location', () => {
    expect([300, 301, 302, 303, 304, 305, 306, 307, 308].filter((status) => isRedirect(status, '/'))).toEqual([
      301, 302, 303, 307, 308,
    ]);
    expect(isRedirect(302, undefined)).toBe(false);
  });
});
