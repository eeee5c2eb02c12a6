import type { SkillExecutionResult, SkillMetadata, ToolCallResult, RunOptions } from 'skillwright';
import type { SkillRecord, Runner } from 'skillwright/host';
import type { RegisteredSkill } from '../../registry/registered-skill.ts';
import { measureInput } from '../execution-input.ts';
import type { ExecutionPlaces, Place } from '../execution-places.ts';
import type { StartChecks } from '../start-checks.ts';
import { scriptPath } from '../packages/package-input.ts';
import { asRegistered, type PackageRuns } from '../packages/package-runs.ts';
import { modelCodeOf } from './refused-call.ts';
import { namedSession, unnamedSession } from './unnamed-session.ts';
import { apiKeyIdOf } from '../tenant.ts';
import { messageOf } from '../../spec/gateway-error.ts';

export interface ModelRunnerParts {
  readonly checks: StartChecks;
  readonly runs: PackageRuns;
  readonly places: ExecutionPlaces;
  /** The digest of a skill's current content. */
  readonly digestOf: (skill: SkillMetadata) => Promise<string>;
}

/** Runs models' calls of packages: applies the registry's policy, and makes the executions visible. */
export function createModelRunner(runner: Runner, { checks, runs, places, digestOf }: ModelRunnerParts): Runner {
  const admit = async (
    record: SkillRecord,
    part: { readonly target: string; readonly input: unknown },
    options: RunOptions,
  ): Promise<{ readonly skill: RegisteredSkill; readonly place: Place }> => {
    const bytes = measureInput(part.input);
    const apiKeyId = apiKeyIdOf(options.tenant ?? null);
    const skill = await checks.find({ skillName: record.metadata.name, version: undefined, apiKeyId, kind: 'package' });
    const { session, signal } = options;
    const sessionId = namedSession(session);
    await checks.judge(skill, { ...part, apiKeyId, sessionId, signal, digestOf: () => digestOf(record.metadata) });
    return { skill, place: await places.take({ apiKeyId, signal, bytes, caller: 'model' }) };
  };
  return {
    async runScript(record, written, args, options = {}) {
      const script = scriptPath(written);
      try {
        const { skill, place } = await admit(record, { target: script, input: { script, args } }, options);
        const timeout = timeoutOf(skill, options);
        const { live, result } = runs.run(skill, options.signal, (own) =>
          runner.runScript(asRegistered(record, skill), script, args, { ...options, timeout, ...own }),
        );
        place.hold(live);
        return await result;
      } catch (error) {
        return refusal(error);
      }
    },
    async callTool(record, tool, args, options = {}) {
      try {
        const { skill, place } = await admit(
          record,
          { target: tool.name, input: { tool: tool.name, arguments: args } },
          options,
        );
        const timeout = timeoutOf(skill, options);
        const { live, result } = runs.run(skill, options.signal, (own) =>
          runner.callTool(asRegistered(record, skill), tool, args, { ...options, timeout, ...own }),
        );
        place.hold(live);
        return await result;
      } catch (error) {
        return toolRefusal(refusal(error));
      }
    },
    close: () => runner.close(),
  };
}

/** Runs calls of clients that do not name their conversations, with sessions that say so. */
export function createUnnamedRunner(runner: Runner): Runner {
  return {
    runScript: (record, script, args, options) => runner.runScript(record, script, args, unnamed(options)),
    callTool: (record, tool, args, options) => runner.callTool(record, tool, args, unnamed(options)),
    close: () => runner.close(),
  };
}

function unnamed(options: RunOptions = {}): RunOptions {
  return { ...options, session: unnamedSession(options.session) };
}

function timeoutOf({ timeoutMs }: RegisteredSkill, { timeout }: RunOptions): number | undefined {
  return timeout ?? timeoutMs ?? undefined;
}

/** Turns a refusal into a result, because every call of a model must get a result. */
function refusal(error: unknown): SkillExecutionResult {
  const message = messageOf(error);
  const code = modelCodeOf(error);
  return {
    success: false,
    stdout: '',
    stderr: '',
    exitCode: -1,
    code,
    error: `${code}: ${message}`,
    started: false,
    durationMs: 0,
    executionId: '',
  };
}

function toolRefusal(execution: SkillExecutionResult): ToolCallResult {
  return { value: { error: execution.error ?? '' }, isError: true, execution };
}
