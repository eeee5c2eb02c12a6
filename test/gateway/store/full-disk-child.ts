import { createGateway } from '../../../packages/gateway/src/app.ts';

/** Runs programs that fill the disk of the given data directory, and prints how each ended. */
const [data = '', code = ''] = process.argv.slice(2);
const gateway = await createGateway(
  { data, skills: [], logLevel: 'silent', builtins: { workspaceBytes: 1024 ** 3 } },
  { env: { PATH: process.env['PATH'] } },
);
const [skill] = await gateway.registry.getSkillVersions('eval_code');
await gateway.registry.update(skill?.id ?? '', { enabled: true });
for (let call = 0; call < 2; call += 1) {
  const input = { language: 'python', code, timeoutMs: 20_000 };
  const ended = await gateway.executor.execute({ skillName: 'eval_code', input, apiKeyId: 'k', caller: 'user' });
  console.log(JSON.stringify({ output: ended.output, errorCode: ended.errorCode }));
}
await gateway.close();
