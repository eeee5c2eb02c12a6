import { describe, expect, it } from 'vitest';
import { parseRequestUrl } from './request-url.ts';

describe('parseRequestUrl', () => {
  it.each([
    ['http://127.0.0.1/', '127.0.0.1'],
    ['http://2130706433/', '127.0.0.1'],
    ['http://0x7f.1/', '127.0.0.1'],
    ['http://0177.1/', '127.0.0.1'],
    ['http://0/', '0.0.0.0'],
    ['http://127.0.0.1./', '127.0.0.1'],
    ['http://%31%32%37.0.0.1/', '127.0.0.1'],
    ['http://127。0。0。1/', '127.0.0.1'],
    ['http://①②⑦.⓪.⓪.①/', '127.0.0.1'],
    ['http://[::]/', '::'],
    ['http://[::ffff:127.0.0.1]/', '::ffff:7f00:1'],
    ['http://LOCALHOST./', 'localhost'],
    ['http://bücher.example/', 'xn--bcher-kva.example'],
    ['http://_dmarc.a-b.example./', '_dmarc.a-b.example'],
  ])('reads the host of %s as %s', (url, host) => {
    expect(parseRequestUrl(url).host).toBe(host);
  });

  it('splits a URL into its parts', () => {
    expect(parseRequestUrl('https://Example.com.:8443/a b?c=d#e')).toEqual({
      protocol: 'https:',
      host: 'example.com',
      port: 8443,
      path: '/a%20b?c=d',
      authority: 'example.com:8443',
      origin: 'https://example.com:8443',
      href: 'https://example.com:8443/a%20b?c=d',
    });
    expect(parseRequestUrl('http://[::1]/')).toMatchObject({ port: 80, origin: 'http://[::1]' });
    expect(parseRequestUrl('//b.example/x', 'https://a.example/')).toMatchObject({ port: 443, host: 'b.example' });
  });

  it.each([
    'file:///etc/passwd',
    'ftp://a.example/',
    'gopher://a.example/',
    'data:text/plain,x',
    'javascript:alert(1)',
    'unix:/var/run/docker.sock',
    'http://user@a.example/',
    'http://user:pass@a.example/',
    'http://:pass@a.example/',
    'http://a..example/',
    'http://.a.example/',
    'http://a.example../',
    'http://a_*.example/',
    `http://${'a'.repeat(64)}.example/`,
    `http://${'a.'.repeat(127)}example/`,
    'http://[fe80::1%25eth0]/',
    'http://1.2.3.4.5/',
    'http://256.1.1.1/',
    'http:///',
    '/relative',
    '',
  ])('refuses %s', (url) => {
    expect(() => parseRequestUrl(url)).toThrow(
      expect.objectContaining({ code: 'UrlNotAllowed', name: 'NetworkError' }),
    );
  });

  it('keeps secrets out of its error messages', () => {
    for (const url of ['http://bob:hunter2@a.example/?key=hunter2', 'foo://x/?key=hunter2', 'http://[hunter2/'])
      expect(() => parseRequestUrl(url)).toThrow(
        expect.objectContaining({ message: expect.not.stringContaining('hunter2') as string }),
      );
  });
});
