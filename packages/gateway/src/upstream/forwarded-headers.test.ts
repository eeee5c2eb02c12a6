import { describe, expect, it } from 'vitest';
import { forwardedOf, headersForClient, passedHeaders, queryForClient, returnedOf } from './forwarded-headers.ts';

const OWN_KEY = 'sk-sw-aaaaaaaaaaaaaaaaaaaaaaaa';

describe('forwarded headers', () => {
  it('keep the provider’s headers in their order and spelling, including repeated ones', () => {
    const raw = ['Anthropic-Beta', 'a', 'X-Stainless-OS', 'Linux', 'anthropic-beta', 'b', 'user-agent', 'U/1'];
    expect(forwardedOf(raw, '', false)).toEqual({ headers: raw, query: '', bringsKey: false });
  });

  it.each([
    ['Host', 'gateway'],
    ['Connection', 'keep-alive'],
    ['Transfer-Encoding', 'chunked'],
    ['Content-Length', '5'],
    ['Content-Encoding', 'gzip'],
    ['Expect', '100-continue'],
    ['Cookie', 'session=1'],
    ['Origin', 'https://app.example'],
    ['Referer', 'https://app.example/private'],
    ['X-Forwarded-For', '10.0.0.1'],
    ['X-Client-IP', '10.0.0.1'],
    ['X-Original-URL', '/v1/files'],
    ['X-HTTP-Method-Override', 'DELETE'],
    ['OpenAI-Project', 'proj_of_another_team'],
    ['OpenAI-Organization', 'org-1'],
    ['X-Goog-User-Project', 'project-1'],
    ['OpenAI_Organization', 'org-1'],
    ['X_Api_Key', 'provider-key'],
    ['Transfer_Encoding', 'chunked'],
    ['X-Skillwright-Skills', 'a'],
    ['Authorization', 'Bearer provider-key'],
    ['X-Api-Key', 'provider-key'],
    ['X-Goog-Api-Key', 'provider-key'],
    ['Api-Key', 'provider-key'],
    ['X-Auth-Token', `Token ${OWN_KEY}`],
  ])('leave out %s', (name, value) => {
    expect(forwardedOf([name, value, 'accept', '*/*'], '', false).headers).toEqual(['accept', '*/*']);
  });

  it('leave out headers that the Connection header names', () => {
    const raw = ['Connection', 'close, X-Secret', 'x-secret', '1', 'accept', '*/*'];
    expect(forwardedOf(raw, '', false).headers).toEqual(['accept', '*/*']);
  });

  it('include provider keys if configured, but never gateway keys', () => {
    const provider = ['authorization', 'Bearer provider-key'];
    expect(forwardedOf([...provider, 'x-api-key', OWN_KEY], '', true)).toEqual({
      headers: provider,
      query: '',
      bringsKey: true,
    });
    expect(forwardedOf(['Authorization', `Bearer ${OWN_KEY}`], '', true)).toEqual({
      headers: [],
      query: '',
      bringsKey: false,
    });
  });

  it('keep the headers with which a client chooses an account for its own key', () => {
    const raw = ['OpenAI-Project', 'proj_1', 'authorization', 'Bearer provider-key'];
    expect(forwardedOf(raw, '', true).headers).toEqual(raw);
    expect(forwardedOf(raw.slice(0, 2), '', true).headers).toEqual([]);
  });

  it.each([
    ['?alt=sse&key=abc', false, '?alt=sse', false],
    ['?key=abc', false, '', false],
    ['?%6bey=abc&a=%20b&a', false, '?a=%20b&a', false],
    ['?monkey=1&x=key=2', false, '?monkey=1&x=key=2', false],
    ['?key=abc&alt=sse', true, '?key=abc&alt=sse', true],
    [`?key=${OWN_KEY}&alt=sse`, true, '?alt=sse', false],
    ['?key=sk%2Dsw%2Daaaaaaaa', true, '', false],
    ['?a=%zz&key=%zz', false, '?a=%zz', false],
    [`?token=${OWN_KEY}&a=1`, true, '?a=1', false],
    ['?KEY=abc&$key=abc&%24Key=abc&a=1', false, '?a=1', false],
    ['?$key=abc', true, '?$key=abc', true],
    ['?access_token=abc&oauth_token=abc&a=1', true, '?a=1', false],
    ['?$ct=text%2Fplain&$httpMethod=DELETE&%24httpHeaders=x&a=1', true, '?a=1', false],
    ['?$userProject=p&userProject=p&a=1', true, '?a=1', false],
    ['?$userProject=p&key=abc', true, '?$userProject=p&key=abc', true],
    ['?$alt=sse&alt=sse', false, '?$alt=sse&alt=sse', false],
  ])('turn the query %s with forwarded keys %s into %s', (query, forwards, expected, bringsKey) => {
    expect(forwardedOf([], query, forwards)).toEqual({ headers: [], query: expected, bringsKey });
  });

  it('leave the format and the key out of the query for the library’s client, which sets both', () => {
    expect(queryForClient('?alt=sse&$alt=json&KEY=abc&$key=abc&a=1')).toBe('a=1');
    expect(queryForClient('')).toBe('');
  });

  it('become a record for the library’s client, without the headers that the client sets itself', () => {
    const raw = ['Accept', '*/*', 'Content-Type', 'text/plain', 'Anthropic-Beta', 'a', 'anthropic-beta', 'b'];
    expect(headersForClient(raw, { forwardsKeys: false })).toEqual({
      headers: { 'anthropic-beta': 'a, b' },
      bringsKey: false,
    });
  });
});

describe('returned headers', () => {
  it('are the upstream’s headers, except those for its connection, cookies and website', () => {
    const kept = ['Content-Type', 'text/event-stream', 'x-ratelimit-remaining', '1', 'Content-Encoding', 'gzip'];
    const dropped = ['Connection', 'keep-alive, x-hop', 'X-Hop', '1', 'Transfer-Encoding', 'chunked'];
    const sites = ['Set-Cookie', 'a=1', 'Alt-Svc', 'h3=":443"', 'Access-Control-Allow-Origin', '*'];
    expect(returnedOf([...dropped, ...kept, ...sites, 'X-Skillwright-Ran', 'forged'])).toEqual(kept);
    expect(returnedOf(['Set_Cookie', 'a=1'])).toEqual([]);
  });
});

it('if the gateway writes the body, the response keeps the provider’s rate limits and ids, but no headers about its body or website', () => {
  const passed = { 'x-ratelimit-remaining': '7', 'Request-Id': 'req_1', 'retry-after': '3' };
  const others = {
    'Content-Length': '5',
    'content-encoding': 'gzip',
    Date: 'Thu, 01 Jan 1970 00:00:00 GMT',
    server: 'x',
    'transfer-encoding': 'chunked',
    'proxy-status': 'x',
    'Set-Cookie': 'a=1',
    'access-control-allow-origin': '*',
    'x-skillwright-ran': 'forged',
  };
  expect(passedHeaders({ ...others, ...passed })).toEqual(passed);
});
