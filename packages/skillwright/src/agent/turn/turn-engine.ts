import type { ModelFailure } from '../../spec/model.ts';
import type {
  AssistantTurn,
  StreamProgress,
  ToolCall,
  ToolResult,
  WireBody,
  WireFrame,
  WireStep,
} from '../../spec/wire.ts';
import type { StreamReader, ModelFormat } from '../../spec/formats/model-format.ts';
import type { StreamWriter } from '../../spec/formats/proxy-format.ts';
import { claimCallIds } from '../../wire/calls/accepted-calls.ts';
import { isRecord } from '../../wire/json/json-text.ts';
import { HiddenArguments, createTurnBudget, type TurnBudget } from './turn-budget.ts';
import { lastSaid, errorResult, missingResult, WholeRounds } from './turn-ending.ts';
import {
  DEFAULT_TURN_BOUNDS,
  type RefusedCall,
  type TurnBounds,
  type TurnEffect,
  type TurnEnding,
  type TurnEndReason,
  type TurnInput,
  type TurnOptions,
  type TurnStep,
} from './turn.ts';

/**
 * What an agent does between a user's message and the end of the answer: ask the model, run its calls, return their
 * results, ask again. The engine does nothing itself: it is told what happened and returns what to do.
 */
export interface TurnEngine {
  /** The first thing to do. */
  start(): readonly TurnEffect[];
  /** Returns what to do after an input; nothing after the end. */
  receive(input: TurnInput): readonly TurnEffect[];
  /** Continues from another history, such as a shorter one with the same meaning. Only between rounds. */
  rebase(body: WireBody): void;
  /**
   * A frame that keeps a client's connection alive. `undefined` if the format has none, or if an error may still become
   * the HTTP status of the response.
   */
  keepAlive(): WireFrame | undefined;
  /** The progress of the current response. It ends where its format says so, not where its connection closes. */
  readonly progress: StreamProgress;
  /** Whether the client receives the model's output in this round. */
  readonly isShowing: boolean;
}

/** The longest delay that a provider may ask for. */
const MAX_DELAY_MS = 60_000;
const FIRST_DELAY_MS = 500;
/** Once a limit is reached, calls are answered with an error for this many rounds; then the turn ends. */
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
  readonly #whole: WholeRounds;
  #phase: 'asking' | 'executing' | 'over' = 'asking';
  #body: WireBody;
  #round = 0;
  #attempt = 1;
  #reader: StreamReader;
  #turn: AssistantTurn | undefined;
  /**
   * Calls of the last turn that are running. `#refused` has the results of that turn's other calls, which are not run.
   */
  #running: readonly ToolCall[] = [];
  #refused: readonly ToolResult[] = [];
  #refusedRounds = 0;
  #arguments: HiddenArguments;
  /** The call ids of the whole conversation, filled at the first call. */
  #callIds: Set<string> | undefined;
  /** Whether the client has seen part of this round. */
  #isSeen = false;
  #hasWritten = false;
  #hasKeptAlive = false;
  /** Whether the first response is an error that the provider sent in its body: the client gets it unchanged. */
  #isToldError = false;

  constructor(options: TurnOptions) {
    const { format, client, stream } = options;
    this.#options = options;
    this.#bounds = { ...DEFAULT_TURN_BOUNDS, ...options.bounds };
    this.#budget = createTurnBudget(this.#bounds);
    this.#body = options.body;
    this.#reader = format.createStreamReader();
    this.#arguments = new HiddenArguments((tool) => this.#isOurs(tool));
    this.#whole = new WholeRounds(client, (tool) => this.#isOurs(tool));
    this.#writer =
      client !== undefined && stream
        ? client.format.createStreamWriter({ ...client, isHidden: (tool) => this.#isOurs(tool) })
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
        return this.#phase === 'asking' ? this.#takeWhole(input) : [];
      case 'failure':
        return this.#phase === 'asking' ? this.#broken(input.failure, { isFinal: input.isFinal }) : [];
      case 'results':
        return this.#phase === 'executing' ? this.#goOn(this.#running, input.results) : [];
      case 'bill':
        this.#budget.bill(input.usage);
        return [];
      case 'spend':
        this.#budget.spend(input.bound);
        return [];
      case 'stop':
        return this.#stop(input);
    }
  }

  rebase(body: WireBody): void {
    this.#body = body;
  }

  keepAlive(): WireFrame | undefined {
    const mayBegin = this.#phase === 'executing' || this.#hasWritten || this.#hasKeptAlive;
    if (this.#phase === 'over' || !mayBegin) return undefined;
    this.#hasKeptAlive = true;
    return this.#writer?.keepAlive();
  }

  get progress(): StreamProgress {
    return this.#phase === 'asking' ? this.#reader.progress : 'open';
  }

  get isShowing(): boolean {
    return this.#phase === 'asking' && this.#isSeen;
  }

  #isOurs(tool: string): boolean {
    return this.#options.isOurs?.(tool) ?? true;
  }

  #ask(delayMs: number, failure?: ModelFailure): TurnEffect {
    this.#phase = 'asking';
    this.#isSeen = false;
    this.#arguments = new HiddenArguments((tool) => this.#isOurs(tool));
    this.#reader = this.#options.format.createStreamReader();
    return { type: 'ask', body: this.#body, round: this.#round, attempt: this.#attempt, delayMs, failure };
  }

  #hear(steps: readonly WireStep[]): readonly TurnEffect[] {
    const events = steps.flatMap((step) => step.events);
    const frames = steps.flatMap((step) => this.#writer?.write(step) ?? []);
    for (const event of events) this.#arguments.add(event);
    const isWatched = this.#options.isWatched === true && events.some(({ type }) => type !== 'start');
    this.#isSeen ||= isWatched || frames.some((frame) => !this.#isIdle(frame));
    const heard: TurnEffect[] = events.map((event) => ({ type: 'hear', event }));
    if (this.#arguments.longest > this.#bounds.maxArguments)
      return [
        ...heard,
        ...this.#write(frames),
        ...this.#end('model-error', {
          error: `The model wrote arguments of more than ${this.#bounds.maxArguments} characters for one call.`,
        }),
      ];
    return [...heard, ...this.#write(frames)];
  }

  /** Whether a frame is a comment or the format's keep-alive. */
  #isIdle({ data, event }: WireFrame): boolean {
    return data === '' || (event !== undefined && event === this.#writer?.keepAlive().event);
  }

  #endStream(): readonly TurnEffect[] {
    const heard = this.#hear(this.#reader.end());
    return this.#phase === 'asking' ? [...heard, ...this.#endRound(this.#reader.turn())] : heard;
  }

  #takeWhole(input: Extract<TurnInput, { type: 'response' }>): readonly TurnEffect[] {
    const { format, client } = this.#options;
    const { response, answer } = input;
    const turn = format.readResponse(response);
    if (client !== undefined && this.#writer !== undefined && turn.stop !== 'error' && isRecord(response)) {
      // The provider does not stream, but the client does.
      const stream = client.format.streamOf(response).map(({ raw }) => raw);
      const heard = this.#hear(this.#reader.read(new TextEncoder().encode(stream.join(''))));
      return this.#phase === 'asking' ? [...heard, ...this.#endStream()] : heard;
    }
    if (turn.stop !== 'error' && isRecord(response)) this.#whole.add(response, turn, answer?.body);
    return this.#endRound(turn, input);
  }

  #endRound(given: AssistantTurn, whole?: Extract<TurnInput, { type: 'response' }>): readonly TurnEffect[] {
    const turn = this.#withOwnIds(given);
    this.#budget.addRound(turn.usage);
    if (turn.stop === 'error') {
      const said = turn.error ?? 'The model stopped with an error but gave no details.';
      const message = this.#options.redact?.(said) ?? said;
      const isFirst = this.#options.client !== undefined && this.#round === 0;
      const { progress } = this.#reader;
      this.#isToldError = isFirst && progress !== 'open' && progress !== 'broken';
      const answer = isFirst && isRecord(whole?.response) ? whole?.answer : undefined;
      return this.#broken({ kind: 'connection', message, isPassing: true, answer }, { turn });
    }
    this.#turn = turn;
    const told: TurnEffect = { type: 'round', round: this.#round, turn };
    return [told, ...this.#follow(turn)];
  }

  /**
   * Gives calls ids that the provider accepts back and that are unique in the history. The client sees the original
   * ids.
   */
  #withOwnIds(turn: AssistantTurn): AssistantTurn {
    const { format } = this.#options;
    if (turn.calls.length === 0 || turn.calls.some(({ name }) => !this.#isOurs(name))) return turn;
    this.#callIds ??= new Set(callIdsIn(format, this.#body));
    const calls = claimCallIds(format.name, turn.calls, this.#callIds);
    return calls === turn.calls ? turn : { ...turn, calls };
  }

  #follow(turn: AssistantTurn): readonly TurnEffect[] {
    if (turn.stop === 'tool-calls') return this.#run(turn);
    // A client continues a paused turn by itself.
    if (turn.stop === 'pause' && this.#options.client === undefined) {
      this.#body = this.#options.format.appendTurn(this.#body, turn, []);
      this.#budget.addPause();
      return this.#budget.spent === undefined ? this.#next() : this.#end(this.#budget.spent);
    }
    if (this.#refusedRounds > 0 && turn.stop === 'end') return this.#end(this.#budget.spent ?? 'end');
    if (turn.stop === 'end' && turn.text.trim() === '') return this.#end('empty');
    if (turn.stop === 'length') return this.#end('length', { said: turn });
    return this.#end(turn.stop === 'error' || turn.stop === 'pause' ? 'other' : turn.stop);
  }

  #run(turn: AssistantTurn): readonly TurnEffect[] {
    const ours = turn.calls.filter(({ name }) => this.#isOurs(name));
    if (ours.length === 0) return this.#end('client-calls');
    const refused = ours.flatMap((call, place): RefusedCall[] => {
      const reason = this.#budget.refusal(call, place);
      return reason === undefined ? [] : [{ call, reason }];
    });
    this.#running = ours.filter((call) => !refused.some((other) => other.call === call));
    this.#refused = refused.map(({ call, reason }) => errorResult(call, `Error: ${reason}`));
    const told: readonly TurnEffect[] = refused.length === 0 ? [] : [{ type: 'refuse', calls: refused }];
    if (this.#running.length === 0) {
      this.#refusedRounds += 1;
      return [...told, ...this.#goOn([], [])];
    }
    this.#phase = 'executing';
    return [...told, { type: 'execute', calls: this.#running, round: this.#round }];
  }

  #goOn(calls: readonly ToolCall[], given: readonly ToolResult[]): readonly TurnEffect[] {
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

  /** Handles a failed request. The round is retried only if the client has not seen any of its output. */
  #broken(
    failure: ModelFailure,
    { turn, isFinal = false }: { turn?: AssistantTurn; isFinal?: boolean | undefined } = {},
  ): readonly TurnEffect[] {
    const delayMs = failure.retryAfterMs ?? FIRST_DELAY_MS * 2 ** (this.#attempt - 1);
    // If a client's first request fails, nothing was done yet: the client decides whether to retry.
    const isClients = this.#options.client !== undefined && this.#round === 0;
    const mayRetry = failure.isPassing && !isFinal && !isClients && !this.#isSeen && delayMs <= MAX_DELAY_MS;
    if (mayRetry && this.#attempt < this.#bounds.maxAttempts) {
      this.#attempt += 1;
      this.#writer?.restartRound();
      return [this.#ask(delayMs, failure)];
    }
    this.#turn = turn ?? (this.#options.stream ? this.#reader.turn() : undefined);
    if (turn === undefined) this.#budget.addRound(this.#turn?.usage);
    const reason = failure.kind === 'cancelled' ? 'cancelled' : 'model-error';
    return this.#end(reason, { error: failure.message, failure, said: this.#turn });
  }

  #stop({
    reason,
    message = 'The turn was cancelled.',
    results: given = [],
    isUnsent = false,
  }: Extract<TurnInput, { type: 'stop' }>): readonly TurnEffect[] {
    const error = reason === 'max-time' ? 'The time for an answer is used up.' : message;
    if (this.#phase === 'asking') {
      this.#turn = this.#options.stream ? this.#reader.turn() : undefined;
      // If this is a retry, an earlier attempt of the round was sent, so the round counts.
      if (isUnsent && this.#attempt === 1) return this.#end(reason, { error, rounds: this.#round });
      this.#budget.addRound(this.#turn?.usage);
      const kind = reason === 'max-time' ? 'timeout' : 'cancelled';
      return this.#end(reason, { error, failure: { kind, message: error, isPassing: false }, said: this.#turn });
    }
    if (this.#turn !== undefined) {
      // Every call that began gets a result, so that the history stays valid.
      const answers = new Map([...this.#refused, ...given].map((result) => [result.callId, result]));
      const results = this.#turn.calls.map((call) => answers.get(call.id) ?? missingResult(call));
      this.#steps.push({ turn: this.#turn, results });
      this.#body = this.#options.format.appendTurn(this.#body, this.#turn, results);
    }
    return this.#end(reason, { error });
  }

  #write(frames: readonly WireFrame[]): readonly TurnEffect[] {
    if (frames.length === 0) return [];
    this.#hasWritten = true;
    return [{ type: 'write', frames }];
  }

  #end(reason: TurnEndReason, parts: EndingParts = {}): readonly TurnEffect[] {
    this.#phase = 'over';
    const frames = this.#lastFrames(parts.error);
    const written = this.#write(frames);
    const last = lastSaid(reason, { turn: this.#turn, said: parts.said });
    const ending: TurnEnding = {
      reason,
      text: this.#turn?.text ?? '',
      turn: this.#turn,
      body: last === undefined ? this.#body : this.#options.format.appendTurn(this.#body, last, []),
      usage: this.#budget.usage,
      lastUsage: this.#budget.lastUsage,
      rounds: parts.rounds ?? this.#round + 1,
      steps: this.#steps,
      ...this.#whole.merge(this.#extension),
      ...(this.#writer === undefined ? {} : { clientTurn: this.#writer.turn() }),
      error: parts.error,
      failure: parts.failure,
      hasWritten: this.#hasWritten,
    };
    return [{ type: 'settle', ending }, ...written, { type: 'end', ending }];
  }

  #lastFrames(error: string | undefined): readonly WireFrame[] {
    const { client } = this.#options;
    if (client === undefined || this.#writer === undefined) return [];
    if (error === undefined) {
      const frames = this.#writer.finish();
      const fields = this.#extension;
      return fields === undefined ? frames : client.format.extendEnd(frames, fields);
    }
    // Until something was written, an error becomes the HTTP status and needs no frames, unless the provider itself
    // sent the error in a body.
    return this.#hasWritten || this.#isToldError ? this.#writer.fail(error) : [];
  }

  get #extension(): WireBody | undefined {
    return this.#options.client?.extension?.({ rounds: this.#round + 1, lastUsage: this.#budget.lastUsage });
  }
}

interface EndingParts extends Pick<Partial<TurnEnding>, 'error' | 'failure'> {
  /** A response that was cut off. */
  readonly said?: AssistantTurn | undefined;
  /** How many rounds count. Default: all up to the current one. */
  readonly rounds?: number | undefined;
}

function callIdsIn(format: ModelFormat, body: WireBody): readonly string[] {
  const history = body[format.historyField];
  return Array.isArray(history) ? format.readHistory(history).flatMap(({ callIds }) => callIds) : [];
}
