import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import { startNamed, WAYS, type Asker, type NamedAnswers } from './named-answers.ts';

const PATHS = ['/v1/responses', '/v1/responses/input_tokens', '/v1/responses/compact'];
const FOREIGN = 'resp_of_others';

/** Bodies that some parser may read as naming `resp_of_others` or `msg_of_others`, after `"model":"m",`. */
const HOSTILE: readonly string[] = [
  String.raw`"previous\u005fresponse_id":"resp_of_others"`,
  String.raw`"\u0070\u0072\u0065\u0076\u0069\u006f\u0075\u0073_response_id":"resp\u005fof\u005fothers"`,
  String.raw`"previous_response_id\u0000":"resp_of_others"`,
  String.raw`"previous_response_id\u0000x":"resp_of_others"`,
  '"Previous_Response_ID":"resp_of_others"',
  '"previouſ_reſponse_id":"resp_of_others"',
  '"previousResponseId":"resp_of_others"',
  '"previous_response_id":"OWN","previous_response_id":"resp_of_others"',
  '"previous_response_id":"OWN","PREVIOUS_RESPONSE_ID":"resp_of_others"',
  String.raw`"previous_response_id":"OWN","previous_response\u005fid":"resp_of_others"`,
  '"previous_response_id":["resp_of_others"]',
  '"previous_response_id":["OWN"]',
  '"previous_response_id":{"id":"resp_of_others"}',
  '"previous_response_id":5',
  '"previous_response_id":true',
  '"previous_response_id":" OWN"',
  '"previous_response_id":"OWN/../resp_of_others"',
  String.raw`"previous_response_id":"OWN\u0000"`,
  '"extra_body":{"previous_response_id":"resp_of_others"}',
  '"conversation":["conv_of_others"]',
  '"conversation":{}',
  '"conversation":5',
  '"conversation":{"ID":"conv_of_others"}',
  '"input":[{"type":"item_reference","id":["msg_of_others"]}]',
  '"input":[{"type":"item_reference","id":5}]',
  '"input":{"type":"item_reference","id":"msg_of_others"}',
  '"input":[{"Type":"item_reference","ID":"msg_of_others"}]',
  String.raw`"input":[{"ty\u0070e":"item\u005freference","\u0069d":"msg_of_others"}]`,
  '"input":[{"type":"message","role":"user","content":"x","id":"msg_of_others","Type":"item_reference"}]',
  '"input":[{"role":"user","content":[{"type":"item_reference","id":"msg_of_others"}]}]',
  '"input":[{"type":"function_call_output","call_id":"c","output":[{"x":{"type":"item_reference","id":"msg_of_others"}}]}]',
  '"instructions":[{"type":"item_reference","id":"msg_of_others"}]',
  '"input":[{"type":"mcp_approval_response","approve":true,"approval_request_id":"mcpr_of_others"}]',
  '"input":[{"type":"something_new","id":"msg_of_others","content":"x"}]',
];

/** Bodies with two readings, of which one is hostile. The gateway reads the harmless one, and so must the provider. */
const TWICE: readonly string[] = [
  '"previous_response_id":"resp_of_others","previous_response_id":"OWN"',
  String.raw`"previous\u005fresponse_id":"resp_of_others","previous_response_id":"OWN"`,
  '"previous_response_id":"resp_of_others","previous_response_id":null',
  '"previous_response_id":"resp_of_others","previous_response_id":""',
  '"conversation":{"id":"conv_of_others"},"conversation":null',
  '"input":[{"type":"item_reference","id":"msg_of_others"}],"input":"Hello."',
  '"input":[{"type":"item_reference","id":"msg_of_others","id":"OWN_ITEM"}]',
  '"input":[{"type":"item_reference","type":"message","id":"x_of_others","id":"y","role":"user","content":"Hello."}]',
  '"extra_body":{"previous_response_id":"resp_of_others"},"extra_body":{}',
];

let gateway: NamedAnswers;
let owner: Asker;
let own: { readonly id: string; readonly item: string };

beforeEach(async () => {
  gateway = await startNamed();
  owner = await gateway.asker();
  const { body } = await owner.ask({ model: 'm', input: 'Begin.' });
  const [item] = (body['output'] as readonly { readonly id: string }[]).slice(-1);
  own = { id: String(body.id), item: item?.id ?? '' };
});

const bodyOf = (text: string): string => {
  const named = text.replaceAll('OWN_ITEM', own.item).replaceAll('OWN', own.id);
  return `{"model":"m",${text.includes('"input"') ? '' : '"input":"Hello.",'}${named}}`;
};

describe.each(WAYS)('a hostile body %s', (_way, headers) => {
  it.each(HOSTILE)('gets a 404 and is not sent upstream: %s', async (text) => {
    const before = gateway.seen.length;
    for (const path of PATHS) {
      const { status, body } = await owner.ask(bodyOf(text), path, headers);
      expect([path, status, body.error?.code]).toEqual([path, 404, expect.stringMatching(/_not_found$/)]);
      const packed = await owner.ask(gzipSync(bodyOf(text)), path, { ...headers, 'content-encoding': 'gzip' });
      expect([path, packed.status]).toEqual([path, 404]);
    }
    expect(gateway.seen).toHaveLength(before);
  });

  it.each(TWICE)('goes upstream only in the form that the gateway read: %s', async (text) => {
    for (const path of PATHS) {
      const before = gateway.seen.length;
      const { status } = await owner.ask(bodyOf(text), path, headers);
      expect([path, status]).toEqual([path, 200]);
      const sent = gateway.seen.slice(before).map(({ body }) => body.toString());
      expect(sent.length).toBeGreaterThan(0);
      expect(sent.join('\n')).not.toMatch(/others/);
    }
  });

  it('is refused even if the hostile field follows 3 MB of other fields', async () => {
    const before = gateway.seen.length;
    const much = '"metadata":{"x":"'.concat('y'.repeat(3_000_000), '"},');
    const late = await owner.ask(bodyOf(`${much}"previous_response_id":"${FOREIGN}"`), PATHS[0], headers);
    expect(late.status).toBe(404);
    const references = Array.from({ length: 20_000 }, (_, place) => ({ type: 'item_reference', id: `msg_${place}` }));
    const first = [{ type: 'item_reference', id: own.item }, ...references];
    expect((await owner.ask({ model: 'm', input: first }, PATHS[0], headers)).status).toBe(404);
    expect(gateway.seen).toHaveLength(before);
  });
});

it.each([
  'application/json; charset=utf-7',
  'application/json; charset="UTF-7"',
  'application/json;charset=utf-8; charset=utf-7',
  "application/json; charset*=utf-8''utf-7",
  'application/json; Charset = utf-16le',
  'application/json; charset=unicode_escape',
])('refuses a charset that the provider could decode differently: %s', async (type) => {
  const before = gateway.seen.length;
  const text = '{"model":"m","input":"+ACIsInByZXZpb3VzX3Jlc3BvbnNlX2lkIjoicmVzcF9vZl9vdGhlcnM-"}';
  for (const path of [...PATHS, '/v1/conversations'])
    expect([path, (await owner.ask(text, path, { 'content-type': type })).status]).toEqual([path, 415]);
  expect(gateway.seen).toHaveLength(before);
});

it.each(['application/json; charset=UTF-8', 'text/plain;charset=iso-8859-1', 'application/json; charset="us-ascii"'])(
  'passes an ASCII body on unchanged: %s',
  async (type) => {
    const headers = { 'content-type': type, 'x-skillwright-mode': 'off' };
    const text = '{ "model":"m", "input":"Hello." }';
    expect((await owner.ask(text, '/v1/responses', headers)).status).toBe(200);
    expect(gateway.last()).toBe(text);
  },
);

it.each(PATHS)(
  'passes a body on unchanged at %s if it refers to nothing, or only to the key’s own responses',
  async (path) => {
    const off = { 'x-skillwright-mode': 'off' };
    for (const text of [
      String.raw`{ "model":"m",  "temperature":1.0, "seed":12345678901234567890, "input":"a \u005f b" , "previous_response_id": null }`,
      String.raw`{ "mod\u0065l":"m", "input":[{"role":"user","content":"{\"previous_response_id\":\"resp_of_others\"}"}]}`,
      `{ "model":"m", "input":"{\\"a\\":1,\\"a\\":2}", "metadata":{"previous_response_id":"${FOREIGN}"} }`,
      `{ "model":"m", "input":[ {"type":"item_reference", "id":"${own.item}"} ] }`,
    ]) {
      expect((await owner.ask(text, path, off)).status).toBe(200);
      expect(gateway.last()).toBe(text);
    }
  },
);

it.each([
  ['/v1/chat/completions', '"messages":[{"role":"user","content":"Hello."}]'],
  ['/v1/messages', '"max_tokens":10,"messages":[{"role":"user","content":"Hello."}]'],
])('passes a body of another format on unchanged: %s', async (path, rest) => {
  const text = `{ "model":"m", "previous_response_id":"${FOREIGN}","previous_response_id":"x", ${rest} }`;
  expect((await owner.ask(text, path, { 'x-skillwright-mode': 'off' })).status).toBe(200);
  expect(gateway.last()).toBe(text);
});

it.each([
  '/v1/%72esponses',
  '/v1/responses?x=1',
  '/v1/responses/',
  '//v1/responses',
  '/v1//responses',
  '/v1/responses%2Fcompact',
  '/v1/responses/%63ompact',
  '/v1/responses/compact/x',
  '/v1/responses/compact/..%2f..%2fresponses',
  '/v1/responses/input%5Ftokens',
  '/V1/RESPONSES',
  '/v1/responses/%2e',
  `/v1/responses/${FOREIGN}`,
  `/v1/responses/${FOREIGN}/cancel`,
  '/v1/responses;x',
  '/v1/chat/../responses',
])('checks every spelling of the path: %s', async (path) => {
  const before = gateway.seen.length;
  const body = { model: 'm', input: 'Hello.', previous_response_id: FOREIGN };
  const response = await fetch(`${gateway.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-skillwright-mode': 'off' },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(404);
  expect(gateway.seen).toHaveLength(before);
});
