import type { Gateway } from '../../../packages/gateway/src/app.ts';
import { installReverseText, REVERSE_TEXT, type RestAnswer, type RestClient } from './rest-gateway.ts';

/** The objects that an example works with: a gateway with the sample skills, and a client with every scope. */
export interface ExampleGround {
  readonly gateway: Gateway;
  readonly client: RestClient;
}

type Example = (ground: ExampleGround) => Promise<RestAnswer>;

const runReverseText = async ({ client }: ExampleGround, more: object = {}): Promise<RestAnswer> => {
  await installReverseText(client);
  const order = { skillName: 'reverse-text', input: { text: 'abc' }, ...more };
  return client.call('POST', '/api/skills/executions', order);
};

const idOf = (answer: RestAnswer, member: string): string => (answer.body[member] as { id: string }).id;

/** Starts an execution whose handler waits. */
const startWaiting = async ({ gateway, client }: ExampleGround): Promise<string> => {
  gateway.executor.registerHandler('waits', (_input, { signal }) => {
    return new Promise((resolve) => {
      signal.addEventListener('abort', () => resolve({}), { once: true });
    });
  });
  await installReverseText(client, { name: 'waits', handlerCode: 'waits', schema: { input: {}, output: {} } });
  return idOf(await client.call('POST', '/api/skills/executions', { skillName: 'waits', wait: false }), 'execution');
};

const ask = async ({ gateway, client }: ExampleGround): Promise<string> => {
  const subject = { skillName: 'x', version: '1.0.0', digest: null, target: 'x', sessionId: 's', input: { a: 1 } };
  const asked = await gateway.approvals.ask({ ...subject, apiKeyId: client.keyId });
  return asked.allowed ? '' : asked.approval.id;
};

const trace = async ({ gateway }: ExampleGround): Promise<void> => {
  await gateway.store.traces.add([
    {
      id: 'trace-1',
      tenant: 'anonymous',
      session: null,
      startedAt: Date.now(),
      durationMs: 12,
      model: 'demo',
      format: 'openai-chat',
      rounds: 2,
      inputTokens: 5,
      outputTokens: null,
      skills: ['word-count'],
      error: null,
      events: [{ type: 'turn', timestamp: new Date().toISOString(), data: { a: 1 } }],
    },
  ]);
};

/** A valid request for every operation, by its id. */
export const EXAMPLES: Readonly<Record<string, Example>> = {
  listSkills: ({ client }) => client.call('GET', '/api/skills?q=word&mode=auto&source=local&page=1&limit=10'),
  getSkill: async ({ gateway, client }) => {
    const skill = await gateway.registry.resolveVersion('word-count');
    return client.call('GET', `/api/skills/${skill?.id}`);
  },
  updateSkill: async ({ client }) => {
    const id = await installReverseText(client);
    return client.call('PUT', `/api/skills/${id}`, { mode: 'auto', policy: 'hybrid', tags: ['text'], retries: 1 });
  },
  removeSkill: async ({ client }) => client.call('DELETE', `/api/skills/${await installReverseText(client)}`),
  installSkill: ({ client }) => client.call('POST', '/api/skills/install', REVERSE_TEXT),
  matchSkills: ({ client }) =>
    client.call('POST', '/api/skills/match', { text: 'count the words of a text', limit: 3 }),
  listExecutions: async (ground) => {
    await runReverseText(ground);
    const { keyId, call } = ground.client;
    return call('GET', `/api/skills/executions?apiKeyId=${keyId}&status=success&skill=reverse-text&limit=1`);
  },
  runSkill: (ground) => runReverseText(ground, { version: '^1', sessionId: 'talk' }),
  getExecution: async (ground) => {
    const id = idOf(await runReverseText(ground), 'execution');
    return ground.client.call('GET', `/api/skills/executions/${id}`);
  },
  cancelExecution: async (ground) =>
    ground.client.call('POST', `/api/skills/executions/${await startWaiting(ground)}/cancel`),
  watchExecution: async (ground) => {
    const id = idOf(await runReverseText(ground), 'execution');
    return ground.client.call('GET', `/api/skills/executions/${id}/events`);
  },
  listApprovals: async (ground) => {
    await ask(ground);
    return ground.client.call('GET', '/api/approvals?status=pending');
  },
  getApproval: async (ground) => ground.client.call('GET', `/api/approvals/${await ask(ground)}`),
  decideApproval: async (ground) =>
    ground.client.call('POST', `/api/approvals/${await ask(ground)}`, { decision: 'allow', scope: 'always' }),
  withdrawApproval: async (ground) => ground.client.call('DELETE', `/api/approvals/${await ask(ground)}`),
  getSettings: ({ client }) => client.call('GET', '/api/settings'),
  updateSettings: ({ client }) => client.call('PUT', '/api/settings', { traceContent: true }),
  listKeys: ({ client }) => client.call('GET', '/api/keys?limit=5'),
  createKey: ({ client }) => client.call('POST', '/api/keys', { name: 'app', scopes: ['proxy'], requestsPerMinute: 5 }),
  revokeKey: async ({ client }) => {
    const created = await client.call('POST', '/api/keys', { name: 'app', scopes: ['proxy'] });
    return client.call('DELETE', `/api/keys/${idOf(created, 'key')}`);
  },
  listTraces: async (ground) => {
    await trace(ground);
    return ground.client.call('GET', '/api/traces?model=demo&failed=false&since=0');
  },
  getTrace: async (ground) => {
    await trace(ground);
    return ground.client.call('GET', '/api/traces/trace-1');
  },
  listAudit: async ({ client }) => {
    const id = await installReverseText(client);
    return client.call('GET', `/api/audit?targetId=${id}&action=skill.install&apiKeyId=${client.keyId}`);
  },
  listUpstreams: ({ client }) => client.call('GET', '/api/upstreams'),
  listAgentSkills: ({ client }) => client.call('GET', '/api/agent-skills?category=api&area=keys'),
  getAgentSkillCoverage: ({ client }) => client.call('GET', '/api/agent-skills/coverage'),
  getAgentSkill: ({ client }) => client.call('GET', '/api/agent-skills/skillwright-api-keys'),
  getAgentSkillDocument: ({ client }) => client.call('GET', '/api/agent-skills/skillwright-cli-finding/raw'),
};
