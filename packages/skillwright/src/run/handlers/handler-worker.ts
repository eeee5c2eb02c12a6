import { withinMs } from '../scripts/run-program.ts';
import { randomUUID } from 'node:crypto';
import { EXECUTION_ID_VARIABLE } from '../../process/process-tree.ts';
import { SkillwrightError } from '../../spec/errors/error.ts';
import type { SandboxLaunch, SandboxProcess } from '../../spec/sandbox.ts';
import type { HandlerAnswer, HandlerOutcome, HandlerRequest, HandlerStop, StopReason } from './handler-call.ts';
import { readHandlerChannel, type ChannelMessage, type HandlerChannel } from './handler-channel.ts';
import { NODE_WORKER_PROGRAM } from './node-worker.ts';
import { readHandlerOutput, type CallOutput, type HandlerOutput } from './handler-output.ts';
import { PYTHON_WORKER_PROGRAM } from './python-worker.ts';

/** The result of giving a call to a worker. */
export interface ServedCall {
  readonly outcome: HandlerOutcome;
  /** Whether the worker may serve another call. */
  readonly isUsable: boolean;
  /** Whether the worker ended before it received the call, so that another can take it. */
  readonly isLost: boolean;
}

/**
 * A started worker. It serves one call at a time. It does not keep the host's process alive; the timer of a running
 * call does.
 */
export interface HandlerWorker {
  /** Runs a call to its end; `input` is the request's input as JSON. Never rejects. */
  serve(request: HandlerRequest, input: string, stop: HandlerStop): Promise<ServedCall>;
  /** Waits for the next call; calls `onLost` if the worker ends or misbehaves meanwhile. */
  rest(onLost: () => void): void;
  /** Ends the worker and all its descendants. Resolves when they are gone; never rejects. */
  end(): Promise<void>;
}

type WorkerEvent =
  | ChannelMessage
  | { readonly type: 'exited' }
  | { readonly type: 'stopped'; readonly reason: StopReason };

/** How long to wait for output and messages that the worker must already have sent. */
const DRAIN_MS = 200;
/** How long a worker may take to exit after its channel was closed. */
const EXIT_MS = 1_000;
const WORKER_ARGUMENTS = {
  javascript: ['--input-type=module', '--eval', NODE_WORKER_PROGRAM],
  python: ['-c', PYTHON_WORKER_PROGRAM],
} as const;

/** Starts a worker for the request's key. Rejects if it cannot start. */
export async function startHandlerWorker(request: HandlerRequest): Promise<HandlerWorker> {
  const child = await request.sandbox.launch(workerLaunch(request));
  const { channel } = child;
  if (channel === undefined) {
    await child.kill();
    const message = `the ${request.sandbox.tier} tier did not open the worker's channel (descriptor 3)`;
    throw new SkillwrightError('InvalidOptions', message);
  }
  child.stdin.end();
  return new ChildWorker(child, channel);
}

/**
 * A worker has its own execution id, because it outlives calls. A handler's child processes inherit the call's id in
 * `SKILL_EXECUTION_ID`; the worker's id is passed along under a longer name, by which `killTree` finds it too.
 */
function workerLaunch({ launch, language, file }: HandlerRequest): SandboxLaunch {
  const executionId = randomUUID();
  return {
    ...launch,
    executionId,
    args: [...launch.args, ...WORKER_ARGUMENTS[language]],
    env: { ...launch.env, [`WORKER_${EXECUTION_ID_VARIABLE}`]: executionId },
    channel: true,
    handler: { language, file },
  };
}

/** A running call, and what the worker has reported about it. */
interface RunningCall {
  hasBegun: boolean;
  answer: Extract<ChannelMessage, { type: 'answer' }> | undefined;
  readonly outputs: readonly CallOutput[];
}

type Ending = Omit<HandlerOutcome, 'stdout' | 'stderr' | 'warm'>;

class ChildWorker implements HandlerWorker {
  readonly #child: SandboxProcess;
  readonly #channel: NonNullable<SandboxProcess['channel']>;
  readonly #reader: HandlerChannel;
  readonly #stdout: HandlerOutput;
  readonly #stderr: HandlerOutput;
  readonly #channelClosed: Promise<void>;
  #listener: ((event: WorkerEvent) => void) | undefined;
  /** The event that made the worker unusable, kept for the next listener. */
  #over: WorkerEvent | undefined;
  #ending: Promise<void> | undefined;
  #calls = 0;

  constructor(child: SandboxProcess, channel: NonNullable<SandboxProcess['channel']>) {
    this.#child = child;
    this.#channel = channel;
    this.#stdout = readHandlerOutput(child.stdout);
    this.#stderr = readHandlerOutput(child.stderr);
    this.#reader = readHandlerChannel(channel, (message) => this.#tell(message));
    this.#channelClosed = new Promise((resolve) => {
      channel.once('close', resolve);
    });
    child.keepAlive(false);
    void child.exited.then(() => this.#tell({ type: 'exited' }));
  }

  #tell(event: WorkerEvent): void {
    if (event.type !== 'begun' && event.type !== 'answer') this.#over ??= event;
    this.#listener?.(event);
  }

  rest(onLost: () => void): void {
    this.#listener = onLost;
    if (this.#over !== undefined) onLost();
  }

  end(): Promise<void> {
    this.#ending ??= this.#end();
    return this.#ending;
  }

  async #end(): Promise<void> {
    this.#child.keepAlive(true);
    await this.#child.kill();
    await this.#child.exited;
    await withinMs(Promise.all([this.#stdout.closed, this.#stderr.closed]), DRAIN_MS);
    for (const stream of [this.#child.stdout, this.#child.stderr, this.#channel]) stream.destroy();
  }

  async serve(request: HandlerRequest, input: string, stop: HandlerStop): Promise<ServedCall> {
    const warm = this.#calls > 0;
    this.#calls += 1;
    const mark = `\0${randomUUID()}`;
    const begin = (stream: 'stdout' | 'stderr', output: HandlerOutput): CallOutput =>
      output.begin(mark, request.maxOutputBytes, (chunk) => passOutput(request, stream, chunk));
    const stdout = begin('stdout', this.#stdout);
    const stderr = begin('stderr', this.#stderr);
    const call: RunningCall = { hasBegun: false, answer: undefined, outputs: [stdout, stderr] };
    const ending = await this.#conclude(await this.#firstEvent(request, input, mark, stop, call), call);
    this.#listener = undefined;
    const isUsable =
      this.#over === undefined && ending.answer?.ok === true && call.answer?.spent === false && isWhole(call);
    return {
      outcome: { ...ending, stdout: stdout.result(), stderr: stderr.result(), warm },
      isUsable,
      isLost: warm && !call.hasBegun && ending.problem === 'ended',
    };
  }

  /** Sends the call, and waits for the first event that decides its outcome. */
  #firstEvent(
    request: HandlerRequest,
    input: string,
    mark: string,
    stop: HandlerStop,
    call: RunningCall,
  ): Promise<WorkerEvent> {
    return new Promise((resolve) => {
      const decide = (event: WorkerEvent): void => {
        stop.listen(undefined);
        resolve(event);
      };
      this.#listener = (event) => {
        if (event.type === 'begun') call.hasBegun = true;
        else {
          if (event.type === 'answer') call.answer = event;
          decide(event);
        }
      };
      stop.listen((reason) => decide({ type: 'stopped', reason }));
      if (this.#over !== undefined) decide({ type: 'closed' });
      else if (stop.reason !== undefined) decide({ type: 'stopped', reason: stop.reason });
      else this.#send(request, input, mark);
    });
  }

  #send({ file, launch, maxResultBytes }: HandlerRequest, input: string, mark: string): void {
    const id = randomUUID();
    this.#reader.expect(id, maxResultBytes);
    const head = JSON.stringify({ id, mark, file, env: { [EXECUTION_ID_VARIABLE]: launch.executionId } });
    this.#channel.write(`${head.slice(0, -1)},"input":${input}}\n`);
  }

  async #conclude(event: WorkerEvent, call: RunningCall): Promise<Ending> {
    switch (event.type) {
      case 'answer':
        return this.#answered(event.answer, call);
      case 'stopped':
        await this.end();
        return { reason: event.reason, ...(await this.#child.exited) };
      case 'garbled':
      case 'too-large':
        await this.end();
        return { reason: 'exit', exitCode: null, signal: null, problem: event.type };
      default:
        return this.#ended(call);
    }
  }

  async #answered(answer: HandlerAnswer, call: RunningCall): Promise<Ending> {
    if (!isWhole(call)) await withinMs(Promise.all(call.outputs.map(({ settled }) => settled)), DRAIN_MS);
    return { reason: 'exit', exitCode: answer.ok ? 0 : 1, signal: null, answer };
  }

  /** Handles the end of the channel and of the worker, in any order. The worker's answer may still be on its way. */
  async #ended(call: RunningCall): Promise<Ending> {
    const exit = await withinMs(this.#child.exited, EXIT_MS);
    if (exit !== undefined) await withinMs(this.#channelClosed, DRAIN_MS);
    await this.end();
    if (call.answer !== undefined) return this.#answered(call.answer.answer, call);
    if (exit === undefined) return { reason: 'exit', exitCode: null, signal: null, problem: 'garbled' };
    return { reason: 'exit', ...exit, problem: 'ended' };
  }
}

function isWhole(call: RunningCall): boolean {
  return call.outputs.every((output) => output.isWhole);
}

function passOutput(request: HandlerRequest, stream: 'stdout' | 'stderr', chunk: Buffer): void {
  try {
    request.onOutput?.(stream, chunk);
  } catch {
    // Errors of a listener do not fail the call.
  }
}
