import { onTestFinished } from 'vitest';
import type { BuiltIn } from '../../../packages/gateway/src/builtins/builtin.ts';
import { createBuiltIns, type BuiltInsOptions } from '../../../packages/gateway/src/builtins/create-built-ins.ts';
import type { BuiltInsConfig, GatewayConfigInput } from '../../../packages/gateway/src/config/config.ts';
import { readVariables, type Environment } from '../../../packages/gateway/src/config/environment.ts';
import { checkConfig } from '../../../packages/gateway/src/config/schema.ts';
import type { HandlerContext } from '../../../packages/gateway/src/executions/executor.ts';
import { createWorkspaces } from '../../../packages/gateway/src/executions/workspaces.ts';
import { makeDataDirectory } from '../store/data-directory.ts';

export interface TestBuiltIns {
  readonly data: string;
  readonly all: readonly BuiltIn[];
  readonly workspaceOf: (tenant: string) => string;
  named(name: string): BuiltIn;
  /** Calls a built-in on behalf of key `k`, unless another key is given. */
  call(name: string, input: unknown, context?: Partial<HandlerContext>): Promise<Record<string, unknown>>;
}

export interface TestBuiltInsOptions extends Partial<
  Pick<BuiltInsOptions, 'now' | 'sandboxes' | 'search' | 'loadPlaywright'>
> {
  readonly builtins?: Partial<BuiltInsConfig>;
  readonly sandbox?: GatewayConfigInput['sandbox'];
  readonly env?: Environment;
}

/** Opens the built-ins of a gateway with this configuration and environment. Closed after the test. */
export function openBuiltIns(options: TestBuiltInsOptions = {}): TestBuiltIns {
  const { env = {}, builtins = {}, sandbox = {}, ...rest } = options;
  const data = makeDataDirectory();
  const fromEnv = readVariables(env).flatMap(({ path, value }) =>
    path[0] === 'builtins' ? [[path[1], value] as const] : [],
  );
  const { data: config, error } = checkConfig({
    data,
    sandbox,
    builtins: { ...builtins, ...(Object.fromEntries(fromEnv) as object) },
  });
  if (config === undefined) throw error;
  const workspaceOf = createWorkspaces(data);
  const path = process.env['PATH'] ?? '';
  const opened = createBuiltIns({ config, env: { PATH: path, ...env }, workspaceOf, now: Date.now, ...rest });
  onTestFinished(() => opened.close());
  const named = (name: string): BuiltIn => {
    const found = opened.all.find((builtIn) => builtIn.name === name);
    if (found === undefined) throw new RangeError(`There is no built-in ${name}.`);
    return found;
  };
  return {
    data,
    all: opened.all,
    workspaceOf,
    named,
    call: (name, input, context = {}) =>
      named(name).execute(input as Record<string, unknown>, { ...contextOf(), ...context }) as Promise<
        Record<string, unknown>
      >,
  };
}

let executions = 0;

function contextOf(): HandlerContext {
  executions += 1;
  return {
    executionId: `execution-${process.pid}-${executions}`,
    apiKeyId: 'k',
    sessionId: null,
    signal: new AbortController().signal,
    onOutput: () => {},
  };
}
