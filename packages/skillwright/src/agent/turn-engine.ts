import type { ModelFailure } from '../spec/model.ts';
import type {
  AssistantTurn,
  StreamReader,
  StreamWriter,
  ToolCall,
  ToolResult,
  WireBody,
  WireFrame,
  WireRound,
  WireStep,
} from '../spec/wire.ts';
import { createTurnBudget, type TurnBudget } from './turn-budget.ts';
import {
  DEFAULT_TURN_BOUNDS,
  type TurnBounds,
  type TurnEffect,
  type TurnEnding,
  type TurnEndReason,
  type TurnInput,
  type TurnOptions,
  type TurnStep,
} from './turn.ts';

/**
 * What an agent does between a person's words and the end of the answer: ask the model, run what it calls, give it the
 * results, ask again. It does nothing by itself: it is told what happened and says what is to be done.
 */
export interface TurnEngine {
  /** The first thing to do. */
  start(): readonly TurnEffect[];
  /** What follows from what happened. After the end, nothing. */
  receive(input: TurnInput): readonly TurnEffect[];
  /** Goes on from another history, such as a shorter one that means the same. Between rounds only. */
  rebase(body: WireBody): void;
  /** Keeps a client's connection alive; `undefined` when there is none. */
  keepAlive(): WireFrame | undefined;
}

/** A provider that wants a longer pause is not waited for. */
const MAX_DELAY_MS = 60_000;
const FIRST_DELAY_MS = 500;
/** Once a bound is reached, calls are answered with an error this often; then the turn ends. */
const MAX_REFUSED_ROUNDS = 1;

export function createTurnEngine(options: TurnOptions): TurnEngine {
  return new Engine(options);
}

class Engine implements TurnEngine {
  readonly #options: TurnOptions;
  readonly #bounds: TurnBounds;
  readonly #budget: TurnBudget;
  readonly #writer: StreamWriter | undefined;
  readonly #steps: TurnStep[] = [];
  readonly #rounds: WireRound[] = [];
  #phase: 'asking' | 'executing' | 'over' = 'asking';
  #body: WireBody;
  #round = 0;
  #attempt = 1;
  #reader: StreamReader;
  #turn: AssistantTurn | undefined;
  /** Calls of the last turn that are being run, and answers to those that are not. */
  #running: readonly ToolCall[] = [];
  #refused: readonly ToolResult[] = [];
  #refusedRounds = 0;
  #argumentLengths = new Map<number, number>();
  /** Whether anybody has seen part of this round. */
  #isSeen = false;
  #hasWritten = false;

  constructor(options: TurnOptions) {
    const { format, client, stream } = options;
    this.#options = options;
    this.#bounds = { ...DEFAULT_TURN_BOUNDS, ...options.bounds };
    this.#budget = createTurnBudget(this.#bounds);
    this.#body = options.body;
    this.#reader = format.createStreamReader();
    this.#writer =
      client !== undefined && stream
        ? format.createStreamWriter({ ...client, isHidden: (tool) => this.#isOurs(tool) })
        : undefined;
  }

  start(): readonly TurnEffect[] {
    return [this.#ask(0)];
  }

  receive(input: TurnInput): readonly TurnEffect[] {
    if (this.#phase === 'over') return [];
    switch (input.type) {
      case 'chunk':
        return this.#phase === 'asking' ? this.#hear(this.#reader.read(input.bytes)) : [];
      case 'chunks-end':
        return this.#phase === 'asking' ? this.#endStream() : [];
      case 'response':
        return this.#phase === 'asking' ? this.#endRound(this.#read(input.response)) : [];
      case 'failure':
        return this.#phase === 'asking' ? this.#broken(input.failure) : [];
      case 'results':
        return this.#phase === 'executing' ? this.#answer(this.#running, input.results) : [];
      case 'spend':
        this.#budget.spend(input.bound);
        return [];
      case 'stop':
        return this.#stop(input.reason, input.results ?? []);
    }
  }

  rebase(body: WireBody): void {
    this.#body = body;
  }

  keepAlive(): WireFrame | undefined {
    return this.#phase === 'over' ? undefined : this.#writer?.keepAlive();
  }

  #isOurs(tool: string): boolean {
    return this.#options.isOurs?.(tool) ?? true;
  }

  #ask(delayMs: number): TurnEffect {
    this.#phase = 'asking';
    this.#isSeen = false;
    this.#argumentLengths = new Map();
    this.#reader = this.#options.format.createStreamReader();
    return { type: 'ask', body: this.#body, round: this.#round, attempt: this.#attempt, delayMs };
  }

  #hear(steps: readonly WireStep[]): readonly TurnEffect[] {
    const events = steps.flatMap((step) => step.events);
    const frames = steps.flatMap((step) => this.#writer?.write(step) ?? []);
    for (const event of events)
      if (event.type === 'call-arguments')
        this.#argumentLengths.set(event.call, (this.#argumentLengths.get(event.call) ?? 0) + event.text.length);
    const isWatched = this.#options.isWatched === true && events.some(({ type }) => type !== 'start');
    this.#isSeen ||= isWatched || frames.length > 0;
    const heard: TurnEffect[] = events.map((event) => ({ type: 'hear', event }));
    const isTooLong = [...this.#argumentLengths.values()].some((length) => length > this.#bounds.maxArguments);
    if (isTooLong)
      return [
        ...heard,
        ...this.#write(frames),
        ...this.#end('model-error', {
          error: `The model wrote arguments of more than ${this.#bounds.maxArguments} characters for one call.`,
        }),
      ];
    return [...heard, ...this.#write(frames)];
  }

  #endStream(): readonly TurnEffect[] {
    const heard = this.#hear(this.#reader.end());
    return this.#phase === 'asking' ? [...heard, ...this.#endRound(this.#reader.turn())] : heard;
  }

  #read(response: unknown): AssistantTurn {
    const { format, client } = this.#options;
    const turn = format.readResponse(response);
    if (client !== undefined && turn.stop !== 'error' && typeof response === 'object' && response !== null)
      this.#rounds.push({
        response: response as WireBody,
        isHidden: (tool) => this.#isOurs(tool),
        clientBody: client.clientBody,
      });
    return turn;
  }

  #endRound(turn: AssistantTurn): readonly TurnEffect[] {
    this.#budget.addRound(turn.usage);
    if (turn.stop === 'error') {
      const message = turn.error ?? 'The model stopped with an error and did not say which.';
      return this.#broken({ kind: 'connection', message, isPassing: true }, turn);
    }
    this.#turn = turn;
    const told: TurnEffect = { type: 'round', round: this.#round, turn };
    return [told, ...this.#follow(turn)];
  }

  #follow(turn: AssistantTurn): readonly TurnEffect[] {
    if (turn.stop === 'tool-calls') return this.#run(turn);
    // A client goes on by itself.
    if (turn.stop === 'pause' && this.#options.client === undefined) {
      this.#body = this.#options.format.appendTurn(this.#body, turn, []);
      return this.#budget.spent === undefined ? this.#next() : this.#end(this.#budget.spent);
    }
    if (this.#refusedRounds > 0 && turn.stop === 'end') return this.#end(this.#budget.spent ?? 'end');
    if (turn.stop === 'end' && turn.text.trim() === '') return this.#end('empty');
    return this.#end(turn.stop === 'error' || turn.stop === 'pause' ? 'other' : turn.stop);
  }

  #run(turn: AssistantTurn): readonly TurnEffect[] {
    const ours = turn.calls.filter(({ name }) => this.#isOurs(name));
    if (ours.length === 0) return this.#end('client-calls');
    const reasons = ours.map((call, place) => this.#budget.refusal(call, place));
    this.#running = ours.filter((_call, place) => reasons[place] === undefined);
    this.#refused = ours.flatMap((call, place) => refusedResult(call, reasons[place]));
    if (this.#running.length === 0) {
      this.#refusedRounds += 1;
      return this.#answer([], []);
    }
    this.#phase = 'executing';
    return [{ type: 'execute', calls: this.#running, round: this.#round }];
  }

  #answer(calls: readonly ToolCall[], given: readonly ToolResult[]): readonly TurnEffect[] {
    const turn = this.#turn;
    if (turn === undefined) return [];
    const answers = new Map([...this.#refused, ...given].map((result) => [result.callId, result]));
    const ours = turn.calls.filter(({ name }) => this.#isOurs(name));
    const results = ours.map((call) => answers.get(call.id) ?? missingResult(call));
    this.#budget.addResults(calls, results);
    this.#steps.push({ turn, results });
    if (ours.length < turn.calls.length) return this.#end('client-calls');
    this.#body = this.#options.format.appendTurn(this.#body, turn, results);
    if (this.#refusedRounds > MAX_REFUSED_ROUNDS) return this.#end(this.#budget.spent ?? 'other');
    return this.#next();
  }

  #next(): readonly TurnEffect[] {
    this.#round += 1;
    this.#attempt = 1;
    return [...this.#write(this.#writer?.nextRound() ?? []), this.#ask(0)];
  }

  /** A round that nobody has seen anything of may be asked for again. */
  #broken(failure: ModelFailure, turn?: AssistantTurn): readonly TurnEffect[] {
    const delayMs = failure.retryAfterMs ?? FIRST_DELAY_MS * 2 ** (this.#attempt - 1);
    // Nothing was done yet for a client whose first request fails: whether to try again is the client's to decide.
    const isClients = this.#options.client !== undefined && this.#round === 0;
    const mayRetry = failure.isPassing && !isClients && !this.#isSeen && delayMs <= MAX_DELAY_MS;
    if (mayRetry && this.#attempt < this.#bounds.maxAttempts) {
      this.#attempt += 1;
      this.#writer?.restartRound();
      return [this.#ask(delayMs)];
    }
    this.#turn = turn ?? (this.#options.stream ? this.#reader.turn() : undefined);
    const reason = failure.kind === 'cancelled' ? 'cancelled' : 'model-error';
    return this.#end(reason, { error: failure.message, failure });
  }

  #stop(reason: 'cancelled' | 'max-time', given: readonly ToolResult[]): readonly TurnEffect[] {
    if (this.#phase === 'asking') this.#turn = this.#options.stream ? this.#reader.turn() : undefined;
    else if (this.#turn !== undefined) {
      // Whatever was begun is answered, so that the history stays valid.
      const answers = new Map([...this.#refused, ...given].map((result) => [result.callId, result]));
      const results = this.#turn.calls.map((call) => answers.get(call.id) ?? missingResult(call));
      this.#steps.push({ turn: this.#turn, results });
      this.#body = this.#options.format.appendTurn(this.#body, this.#turn, results);
    }
    const error = reason === 'max-time' ? 'The time for an answer is used up.' : 'The turn was cancelled.';
    return this.#end(reason, { error });
  }

  #write(frames: readonly WireFrame[]): readonly TurnEffect[] {
    if (frames.length === 0) return [];
    this.#hasWritten = true;
    return [{ type: 'write', frames }];
  }

  #end(reason: TurnEndReason, parts: Pick<Partial<TurnEnding>, 'error' | 'failure'> = {}): readonly TurnEffect[] {
    this.#phase = 'over';
    const frames = this.#lastFrames(parts.error);
    const written = this.#write(frames);
    const ending: TurnEnding = {
      reason,
      text: this.#turn?.text ?? '',
      turn: this.#turn,
      body: this.#finalBody(reason),
      usage: this.#budget.usage,
      lastUsage: this.#budget.lastUsage,
      rounds: this.#round + 1,
      steps: this.#steps,
      response: this.#response(),
      error: parts.error,
      failure: parts.failure,
      hasWritten: this.#hasWritten,
    };
    return [{ type: 'settle', ending, frames }, ...written, { type: 'end', ending }];
  }

  #lastFrames(error: string | undefined): readonly WireFrame[] {
    if (this.#writer === undefined) return [];
    if (error === undefined) return this.#writer.finish();
    // Before the first byte, an error has a status.
    return this.#hasWritten ? this.#writer.fail(error) : [];
  }

  /** With what the model said last, where that was whole. */
  #finalBody(reason: TurnEndReason): WireBody {
    const isWhole = reason === 'end' || reason === 'refusal' || reason === 'other' || this.#refusedRounds > 0;
    const turn = this.#turn;
    if (!isWhole || turn === undefined || turn.calls.length > 0) return this.#body;
    return this.#options.format.appendTurn(this.#body, turn, []);
  }

  #response(): WireBody | undefined {
    const { client, format } = this.#options;
    if (client === undefined || this.#rounds.length === 0) return undefined;
    const last = this.#rounds.length - 1;
    return format.mergeResponses(
      this.#rounds.map((round, place) => ({ ...round, hidesText: client.holdsText === true && place < last })),
    );
  }
}

function refusedResult(call: ToolCall, reason: string | undefined): ToolResult[] {
  return reason === undefined ? [] : [errorResult(call, `Error: ${reason}`)];
}

function missingResult(call: ToolCall): ToolResult {
  return errorResult(call, 'Cancelled: the call was ended before it was answered. It may have taken effect.');
}

function errorResult({ id, name }: ToolCall, text: string): ToolResult {
  return { callId: id, name, content: [{ type: 'text', text }], isError: true };
}
