import { expect } from 'vitest';
import { SAMPLE_SKILLS } from '../../../gateway/proxy/loop/loop-gateway.ts';
import { startRest, type RestGateway } from '../../../gateway/rest/rest-gateway.ts';
import { runHere, type CliResult } from '../cli-runner.ts';

/** A gateway, and a terminal user who manages it. */
export interface Terminal {
  readonly rest: RestGateway;
  /** Runs the program against the gateway, with a key that has every scope. */
  run(...args: readonly string[]): Promise<CliResult>;
  json<Answer = never>(...args: readonly string[]): Promise<Answer>;
}

export async function openTerminal(): Promise<Terminal> {
  const rest = await startRest({ skills: SAMPLE_SKILLS });
  const { secret } = await rest.client('manage', 'execute', 'proxy');
  const env = { SKILLWRIGHT_TOKEN: secret };
  const run = (...args: readonly string[]): Promise<CliResult> => runHere([...args, '--url', rest.url], { env });
  return {
    rest,
    run,
    json: async (...args) => {
      const { code, stdout, stderr } = await run(...args, '--json');
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      return JSON.parse(stdout) as never;
    },
  };
}
