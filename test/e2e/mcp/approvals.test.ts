import { chmodSync } from 'node:fs';
import type { Client } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { hasBubblewrap } from '../cli/running/running-cli.ts';
import { ERAS, makeSkills, startClient, textOf, type Era, type StartedClient } from './mcp-client.ts';
import { startServer } from './raw-server.ts';

type Answer = Readonly<Record<string, unknown>>;

const HELLO = { name: 'use_skill', arguments: { skill: 'greet', script: 'scripts/hello.mjs', args: ['Ada'] } };

/** A directory whose skills nobody trusts: it is not named on the command line. */
function makeUntrusted(): string {
  const cwd = makeSkills();
  // If root runs them, sandboxed programs run as another user.
  chmodSync(cwd, 0o755);
  return cwd;
}

/** A client whose user gives these answers, one after the other. */
async function startAsking(era: Era, ...answers: Answer[]): Promise<StartedClient & { readonly questions: string[] }> {
  const options = { capabilities: { elicitation: { form: {} } } };
  const started = await startClient([], { cwd: makeUntrusted(), era, options });
  const questions: string[] = [];
  started.client.setRequestHandler('elicitation/create', ({ params }) => {
    questions.push(params.message);
    return (answers.shift() ?? { action: 'cancel' }) as { action: 'accept' };
  });
  return { ...started, questions };
}

function allow(answer: unknown): Answer {
  return { action: 'accept', content: { allow: answer } };
}

async function hello(client: Client): Promise<string> {
  return textOf(await client.callTool(HELLO));
}

describe.skipIf(!hasBubblewrap).each(ERAS)('a run of an untrusted skill, in revision %s', (era) => {
  it('waits for the user, who is told what wants to run, and runs once', async () => {
    const { client, questions } = await startAsking(era, allow('once'), allow('once'));
    expect(await hello(client)).toContain('hello Ada');
    expect(questions).toHaveLength(1);
    expect(questions[0]).toContain('Skill greet wants to run the script scripts/hello.mjs.');
    expect(questions[0]).toContain('Ada');
    expect(questions[0]).toContain('untrusted skill, runs in bubblewrap, without the network.');
    expect(await hello(client)).toContain('hello Ada');
    expect(questions).toHaveLength(2);
  });

  it('does not happen if the user says no, or anything else than yes', async () => {
    const answers = [
      allow('deny'),
      { action: 'decline' },
      { action: 'cancel' },
      { action: 'accept' },
      // More than was asked, and something else.
      allow('always'),
      allow(true),
    ];
    const { client, questions } = await startAsking(era, ...answers);
    for (let asked = 1; asked <= 6; asked += 1) {
      const refused = await client.callTool(HELLO);
      expect(refused.isError).toBe(true);
      expect(refused.structuredContent).toMatchObject({ code: 'ApprovalDenied', stdout: '' });
      expect(questions).toHaveLength(asked);
    }
  });

  it('is refused if the client cannot ask', async () => {
    const { client } = await startClient([], { cwd: makeUntrusted(), era });
    const refused = await client.callTool(HELLO);
    expect(refused.structuredContent).toMatchObject({ code: 'ApprovalRequired', stdout: '' });
  });

  it('needs an answer of its own, even beside another', async () => {
    const { client, questions } = await startAsking(era, allow('once'), allow('once'), allow('deny'));
    const texts = await Promise.all([hello(client), hello(client), hello(client)]);
    expect(questions).toHaveLength(3);
    expect(texts.filter((text) => text.includes('hello Ada'))).toHaveLength(2);
  });
});

describe.skipIf(!hasBubblewrap)('an approval', () => {
  it('for the conversation lasts as long as the connection', async () => {
    const { client, questions } = await startAsking('2025-11-25', allow('conversation'));
    expect(await hello(client)).toContain('hello Ada');
    expect(await hello(client)).toContain('hello Ada');
    expect(questions).toHaveLength(1);
  });

  const META = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
  };
  const inputResponses = { approval: allow('once') };

  it('counts only for the call that was asked about, and only once', async () => {
    const server = startServer([], { cwd: makeUntrusted() });
    const call = (more: object, name = 'Ada'): ReturnType<typeof server.ask> => {
      const args = { ...HELLO.arguments, args: [name] };
      return server.ask('tools/call', { name: 'use_skill', arguments: args, _meta: META, ...more });
    };
    // An answer to no question, and made-up states.
    const unasked = await call({ inputResponses });
    expect(unasked.result?.['resultType']).toBe('input_required');
    for (const requestState of ['made-up', '', '__proto__']) {
      const { result } = await call({ inputResponses, requestState });
      expect(JSON.stringify(result)).toContain('no longer waits');
    }
    const requestState = unasked.result?.['requestState'];
    const other = await call({ inputResponses, requestState }, 'Bo');
    expect(JSON.stringify(other.result)).toContain('no longer waits');
    expect(JSON.stringify((await call({ inputResponses, requestState })).result)).toContain('hello Ada');
    expect(JSON.stringify((await call({ inputResponses, requestState })).result)).toContain('no longer waits');
  });

  it('does not keep the server while the user thinks', async () => {
    const server = startServer([], { cwd: makeUntrusted() });
    const asked = await server.ask('tools/call', { ...HELLO, _meta: META });
    expect(asked.result?.['resultType']).toBe('input_required');
    server.endInput();
    expect(await server.ended).toBe(0);
  });
});
