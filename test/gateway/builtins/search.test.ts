import { describe, expect, it } from 'vitest';
import type { SearchProvider } from '../../../packages/gateway/src/builtins/search/search-providers.ts';
import { proves } from '../../proves.ts';
import { startServer } from '../../security/network/server.ts';
import { openBuiltIns } from './built-ins.ts';

/** A shortened response of SearXNG to `/search?format=json`. */
const SEARXNG = {
  query: 'otters',
  number_of_results: 0,
  results: [
    {
      url: 'https://example.org/otters',
      title: 'Otters & friends',
      content: 'All about <b>otters</b>.',
      engine: 'duckduckgo',
      engines: ['duckduckgo'],
      score: 1,
      category: 'general',
    },
    { url: 'javascript:alert(1)', title: 'not a page', content: '' },
    { title: 'without an address' },
    { url: 'https://example.org/second', title: 'Second', content: null },
    { url: 'https://example.org/third', title: 'Third', content: 'x' },
  ],
  answers: [],
  suggestions: ['sea otters'],
  unresponsive_engines: [],
};

/** A shortened response of Brave to `/res/v1/web/search`. */
const BRAVE = {
  type: 'search',
  query: { original: 'otters', more_results_available: true },
  web: {
    type: 'search',
    results: [
      {
        title: 'Otters',
        url: 'https://example.org/otters',
        description: 'About <strong>otters</strong> &amp; rivers &#x27;n&#39; such.',
        age: '2 days ago',
        profile: { name: 'Example' },
      },
    ],
  },
};

describe('web_search', () => {
  it('queries the operator’s SearXNG, even on a private address', async () => {
    proves('S4.builtin.web_search');
    const asked: string[] = [];
    const { authority } = await startServer((request, response) => {
      asked.push(request.url ?? '');
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(SEARXNG));
    });
    const { call } = openBuiltIns({ builtins: { searchProvider: 'searxng', searchUrl: `http://${authority}/sx/` } });
    expect(await call('web_search', { query: ' otters & co ', maxResults: 2 })).toEqual({
      success: true,
      results: [
        { title: 'Otters & friends', url: 'https://example.org/otters', snippet: 'All about otters.' },
        { title: 'Second', url: 'https://example.org/second', snippet: '' },
      ],
      cached: false,
    });
    expect(asked).toEqual(['/sx/search?q=otters+%26+co&format=json']);
  });

  it('queries Brave with its key', async () => {
    const asked: unknown[] = [];
    const { authority } = await startServer((request, response) => {
      asked.push([request.url, request.headers['x-subscription-token']]);
      response.end(JSON.stringify(asked.length === 1 ? BRAVE : { type: 'search', query: {} }));
    });
    const builtins = {
      searchProvider: 'brave',
      searchUrl: `http://${authority}/res/v1`,
      searchKeyEnv: 'MY_KEY',
    } as const;
    const { call } = openBuiltIns({ builtins, env: { MY_KEY: 'secret' } });
    expect(await call('web_search', { query: 'otters' })).toMatchObject({
      results: [{ title: 'Otters', url: 'https://example.org/otters', snippet: "About otters & rivers 'n' such." }],
    });
    expect(await call('web_search', { query: 'nothing' })).toMatchObject({ success: true, results: [] });
    expect(asked[0]).toEqual(['/res/v1/web/search?q=otters&count=5&text_decorations=false', 'secret']);
  });

  it('caches a bounded number of results for a while, separately for each key', async () => {
    proves('S4.builtin.web_search');
    let searches = 0;
    const search: SearchProvider = {
      name: 'counting',
      search: async (query) => {
        searches += 1;
        return [{ title: query, url: 'https://example.org/', snippet: String(searches) }];
      },
    };
    let time = 1_000;
    const { call } = openBuiltIns({ search, now: () => time });
    const ask = (query: string, apiKeyId = 'k'): Promise<unknown> =>
      call('web_search', { query }, { apiKeyId }).then(({ cached }) => cached);
    expect([await ask('Otters'), await ask('otters'), await ask('otters', 'other'), await ask('beavers')]).toEqual([
      false,
      true,
      false,
      false,
    ]);
    expect(await call('web_search', { query: 'otters', maxResults: 7 })).toMatchObject({ cached: false });
    time += 300_000;
    expect(await ask('otters')).toBe(false);
    for (let index = 0; index < 600; index += 1) await ask(`filler ${index}`);
    expect(await ask('otters')).toBe(false);
    expect(await ask('filler 599')).toBe(true);
    expect(searches).toBe(606);
  });

  it('explains that no search is configured', async () => {
    await expect(openBuiltIns().call('web_search', { query: 'x' })).rejects.toMatchObject({
      code: 'SearchUnavailable',
      message: expect.stringContaining('builtins.searchProvider') as string,
    });
  });

  it.each([
    ['a refusal', 403, 'Forbidden', /status 403.*json/],
    ['a redirect', 302, '', /cannot be reached/],
    ['no JSON', 200, '<html>', /cannot be reached/],
    ['other JSON', 200, '{"results":7}', /without a list of results/],
    ['null', 200, 'null', /without a list of results/],
  ])('reports a response with %s, and does not cache it', async (_what, status, body, message) => {
    let searches = 0;
    const { authority } = await startServer((_request, response) => {
      searches += 1;
      response.writeHead(status, status === 302 ? { location: 'http://127.0.0.1:1/' } : {}).end(body);
    });
    const { call } = openBuiltIns({ builtins: { searchProvider: 'searxng', searchUrl: `http://${authority}` } });
    for (let round = 0; round < 2; round += 1)
      await expect(call('web_search', { query: 'x' })).rejects.toMatchObject({
        code: 'SearchUnavailable',
        message: expect.stringMatching(message) as string,
      });
    expect(searches).toBe(2);
  });

  it.each([
    [{ searchProvider: 'searxng' }, 'builtins.searchUrl'],
    [{ searchProvider: 'brave' }, 'BRAVE_API_KEY'],
  ] as const)('fails to start if only half configured: %j', (builtins, named) => {
    expect(() => openBuiltIns({ builtins })).toThrow(
      expect.objectContaining({ code: 'InvalidConfiguration', message: expect.stringContaining(named) as string }),
    );
  });
});
