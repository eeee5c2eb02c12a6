import { writeFileSync } from 'node:fs';
import { connect, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createScriptedModel, type ScriptedModel } from '../../../../packages/skillwright/src/testing/index.ts';
import { WIRE_FORMATS } from '../../../../packages/skillwright/src/spec/wire.ts';
import { startChild } from '../../gateway-child.ts';
import { createLoopClient, requestBody, userEntries } from '../loop/loop-client.ts';
import { loopConfig, startGatewayTo, UPSTREAM_KEY } from '../loop/loop-gateway.ts';
import { ECHO_HANDLER } from '../loop/loop-handlers.ts';
import { createSelfSigned } from '../../self-signed.ts';

const SCRIPT = [{ calls: [{ name: 'echo', arguments: { text: 'hidden' } }] }, { text: 'Done.' }];

async function startModel(apiKey: string): Promise<ScriptedModel> {
  const model = await createScriptedModel({ script: SCRIPT, apiKey });
  onTestFinished(() => model.close());
  return model;
}

describe('a key in the address of a Gemini request', () => {
  const ask = async (
    forwardKeys: boolean,
    apiKey: string,
    parameter = 'key',
  ): Promise<{ text: string; model: ScriptedModel }> => {
    const model = await startModel(apiKey);
    const { upstreams = [] } = loopConfig(model);
    const { url, lines } = await startGatewayTo(
      model,
      { upstreams: upstreams.map((upstream) => ({ ...upstream, forwardKeys })) },
      [ECHO_HANDLER],
    );
    const body = requestBody({ url, format: 'gemini', stream: false }, userEntries('gemini', 'Begin.'));
    const response = await fetch(`${url}/v1beta/models/m:generateContent?${parameter}=key-of-the-client`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    expect(JSON.stringify(lines)).not.toContain('key-of-the-client');
    return { text, model };
  };

  it.each(['key', '$key'])('goes to the provider in every round if forwardKeys is on: %s', async (parameter) => {
    const { text, model } = await ask(true, 'key-of-the-client', parameter);
    expect(text).toContain('Done.');
    expect(model.requests.map(({ headers }) => headers['x-goog-api-key'])).toEqual([
      'key-of-the-client',
      'key-of-the-client',
    ]);
    expect(model.requests.map(({ path }) => path).join(' ')).not.toContain('key=');
  });

  it.each(['key', '$key', 'KEY', 'access_token'])(
    'never leaves the gateway if forwardKeys is off: %s',
    async (parameter) => {
      const { text, model } = await ask(false, UPSTREAM_KEY, parameter);
      expect(text).toContain('Done.');
      expect(JSON.stringify(model.requests.map(({ path, headers }) => [path, headers]))).not.toContain(
        'key-of-the-client',
      );
    },
  );
});

describe('a provider behind TLS', () => {
  /** Starts the same provider with a self-signed certificate. */
  const startSecure = async (): Promise<{
    model: ScriptedModel;
    secure: Pick<ScriptedModel, 'baseUrl'>;
    cert: string;
  }> => {
    const model = await startModel(UPSTREAM_KEY);
    const { key, cert } = createSelfSigned();
    const server = createServer({ key, cert }, (socket) => {
      const plain = connect(Number(new URL(model.url).port), '127.0.0.1');
      socket.pipe(plain).pipe(socket);
      socket.on('error', () => plain.destroy()).on('close', () => plain.destroy());
      plain.on('error', () => socket.destroy()).on('close', () => socket.destroy());
    });
    server.on('tlsClientError', () => undefined).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const origin = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return { model, cert, secure: { baseUrl: (format) => model.baseUrl(format).replace(model.url, origin) } };
  };

  it.each(WIRE_FORMATS)('is used in %s if the gateway trusts its certificate', async (format) => {
    const { secure, cert, model } = await startSecure();
    const config = loopConfig(secure);
    const file = join(config.data, 'authority.pem');
    writeFileSync(file, cert);
    const { url } = await startChild(config, { NODE_EXTRA_CA_CERTS: file });
    const { turn } = await createLoopClient({ url, format, stream: true }).say('Begin.');
    expect(turn.text).toBe('Done.');
    expect(model.requests).toHaveLength(2);
  });

  it.each(['on', 'off'])('is not used if its certificate is not trusted (skills: %s)', async (mode) => {
    const { secure, model } = await startSecure();
    const { url } = await startGatewayTo(secure, {}, [ECHO_HANDLER]);
    const headers = { 'x-skillwright-mode': mode };
    const { status, turn } = await createLoopClient({ url, format: 'openai-chat', stream: false, headers }).say(
      'Begin.',
    );
    expect(status).toBe(502);
    expect(turn.stop).toBe('error');
    expect(model.requests).toEqual([]);
  });
});
