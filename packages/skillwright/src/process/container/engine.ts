import { execFile } from 'node:child_process';
import { SkillwrightError } from '../../spec/errors/error.ts';
import { CONTAINER_ENGINES, type ContainerEngineName } from './options.ts';
import { programsOnPath } from '../interpreters.ts';

/** The result of an engine command, even if it failed. */
export interface EngineAnswer {
  readonly ok: boolean;
  readonly stdout: string;
  /** Whether the engine did not answer in time. The command may still take effect. */
  readonly late: boolean;
  /** The last line of the engine's error output, for messages. */
  readonly complaint: string;
}

/** An engine that answers, and its abilities on this host. */
export interface ContainerEngine {
  readonly name: ContainerEngineName;
  readonly program: string;
  readonly version: string;
  /** Runs without root: users in its containers have other numbers than outside. */
  readonly rootless: boolean;
  readonly boundsMemory: boolean;
  readonly boundsProcesses: boolean;
  readonly boundsProcessors: boolean;
  /** The environment of the engine's command line. */
  readonly env: Readonly<Record<string, string>>;
  /**
   * Rejects with a system error if the command line itself cannot start; if the engine hangs, the result is a failed
   * call.
   */
  call(args: readonly string[], options?: EngineCallOptions): Promise<EngineAnswer>;
}

export interface EngineCallOptions {
  readonly timeoutMs?: number | undefined;
  /** More environment variables for this call. */
  readonly env?: Readonly<Record<string, string>> | undefined;
}

export type EngineReading =
  | { readonly ok: true; readonly engine: ContainerEngine }
  | { readonly ok: false; readonly reason: string; readonly remedy: string };

const CALL_MS = 30_000;
/**
 * How long to wait for a daemon. A running daemon answers at once, and a hanging daemon must not delay the search for
 * tiers.
 */
const LOOK_MS = 8_000;
const MAX_OUTPUT = 4_194_304;
/** The environment variables that the command lines may read. */
const ENGINE_VARIABLE = /^(?:PATH|HOME|USER|LOGNAME|LANG|TMPDIR|(?:DOCKER|CONTAINERS?|PODMAN|XDG|REGISTRY)_.*)$/;

/** Looks for an engine that answers. Never rejects. */
export async function findContainerEngine(
  wanted: ContainerEngineName | undefined,
  host: Readonly<Record<string, string>>,
): Promise<EngineReading> {
  if (process.platform === 'win32')
    return absent('The container tier does not support the paths of Windows.', 'Run Skillwright in WSL.');
  const env = Object.fromEntries(Object.entries(host).filter(([name]) => ENGINE_VARIABLE.test(name)));
  const names = wanted === undefined ? CONTAINER_ENGINES : [wanted];
  const silent: string[] = [];
  for (const name of names) {
    const program = programsOnPath(name, host['PATH'] ?? '')[0];
    if (program === undefined) continue;
    const call = createCall(program, env);
    const answer = await call(['info', '--format', '{{json .}}'], { timeoutMs: LOOK_MS }).catch(unstarted);
    const facts = answer.ok ? readFacts(name, answer.stdout) : undefined;
    if (facts !== undefined) return { ok: true, engine: { name, program, env, call, ...facts } };
    silent.push(`${name} does not answer (${answer.complaint || 'its output could not be understood'})`);
  }
  if (silent.length > 0)
    return absent(`${silent.join(', and ')}.`, 'Start the engine, and let this user use it; "docker info" must work.');
  return absent(
    `${names.join(' and ')} ${names.length > 1 ? 'are' : 'is'} not on the PATH.`,
    'Install one, for example with `apt install podman`.',
  );
}

function createCall(program: string, env: Readonly<Record<string, string>>): ContainerEngine['call'] {
  return (args, options = {}) =>
    new Promise((resolve, reject) => {
      const settings = {
        env: { ...env, ...options.env },
        timeout: options.timeoutMs ?? CALL_MS,
        killSignal: 'SIGKILL',
        maxBuffer: MAX_OUTPUT,
        encoding: 'utf8',
      } as const;
      const child = execFile(program, args, settings, (error, stdout, stderr) => {
        if (child.pid === undefined) return;
        resolve({ ok: error === null, stdout, late: error?.killed === true, complaint: complaintOf(stderr, error) });
      });
      // If the process cannot be started, Node reports a system error instead of an exit code.
      child.once('error', reject);
      child.stdin?.on('error', () => {});
      child.stdin?.end();
    });
}

function complaintOf(stderr: string, error: (Error & { killed?: boolean | undefined }) | null): string {
  if (error?.killed === true) return 'the engine did not answer in time';
  return (stderr.trim().split('\n').at(-1) ?? '').slice(0, 500);
}

function unstarted(error: unknown): EngineAnswer {
  return { ok: false, stdout: '', late: false, complaint: String(error) };
}

type Facts = Pick<ContainerEngine, 'version' | 'rootless' | 'boundsMemory' | 'boundsProcesses' | 'boundsProcessors'>;

/** Reads an engine's description of itself, which each engine writes in its own format. */
function readFacts(name: ContainerEngineName, text: string): Facts | undefined {
  const told = parseObject(text);
  if (name === 'docker') {
    const version = told['ServerVersion'];
    if (typeof version !== 'string' || version === '') return undefined;
    return {
      version,
      rootless: listOf(told['SecurityOptions']).includes('name=rootless'),
      boundsMemory: told['MemoryLimit'] === true,
      boundsProcesses: told['PidsLimit'] === true,
      boundsProcessors: told['CpuCfsQuota'] === true,
    };
  }
  const host = objectOf(told['host']);
  const version = objectOf(told['version'])['Version'];
  if (typeof version !== 'string') return undefined;
  const controllers = listOf(host['cgroupControllers']);
  return {
    version,
    rootless: objectOf(host['security'])['rootless'] === true,
    boundsMemory: controllers.includes('memory'),
    boundsProcesses: controllers.includes('pids'),
    boundsProcessors: controllers.includes('cpu'),
  };
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  try {
    return objectOf(JSON.parse(text));
  } catch {
    return {};
  }
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function absent(reason: string, remedy: string): EngineReading {
  return { ok: false, reason, remedy };
}

/** The result of a run that the engine refused. */
export function engineFailure(what: string, answer: EngineAnswer): SkillwrightError {
  return new SkillwrightError('LaunchFailed', `${what}: ${answer.complaint || 'the engine did not say why'}.`);
}
