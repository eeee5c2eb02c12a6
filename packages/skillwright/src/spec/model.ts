import type { WireBody, WireFormatName } from './wire.ts';
import type { SkillMetadata } from './skill.ts';

/** Something that answers requests in a provider's format: a provider over HTTP, or the demo planner. */
export interface ModelClient {
  readonly format: WireFormatName;
  /** The provider's name for it. */
  readonly model: string;
  /** True only if it is not a language model; user interfaces say so. */
  readonly isDemo?: boolean | undefined;
  /** Sends one request. Never rejects: what goes wrong is told in the reply, or by a `NetworkError` of its chunks. */
  send(request: ModelRequest): Promise<ModelReply>;
  /** Takes the keys that it knows out of a text, such as what a provider says went wrong. */
  readonly redact?: ((text: string) => string) | undefined;
  /** Ends what is open. Twice is fine. */
  close?(): Promise<void>;
}

/** One request to a model, its body in the provider's format. */
export interface ModelRequest {
  readonly body: WireBody;
  readonly stream: boolean;
  readonly signal: AbortSignal;
  /** For this request alone, over the client's own. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Added to the address, without its `?`. Default none. */
  readonly query?: string | undefined;
  /** The version of the API, such as `v1`, where the format's path begins with one and the address has none. Default the format's own. */
  readonly version?: string | undefined;
}

/** A response whose body can be read, or the reason why there is none. */
export type ModelReply =
  | {
      readonly ok: true;
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      /** The body as it comes. Throws when the connection breaks; leaving it early ends the request. */
      readonly chunks: AsyncIterable<Uint8Array>;
    }
  | { readonly ok: false; readonly failure: ModelFailure };

/** Why a model did not answer. */
export interface ModelFailure {
  /** `status`: it answered with an error. `connection`: it could not be reached, or the connection broke. */
  readonly kind: 'status' | 'connection' | 'timeout' | 'cancelled';
  /** What, where, and what to do; without keys. */
  readonly message: string;
  /** Whether asking again may help. */
  readonly isPassing: boolean;
  /** How long the provider asks to wait. */
  readonly retryAfterMs?: number | undefined;
  /** The provider's answer as it came, where there was one. */
  readonly answer?:
    | {
        readonly status: number;
        readonly headers: Readonly<Record<string, string>>;
        readonly body: Uint8Array;
      }
    | undefined;
}

/** Providers for which the Claude-specific `model` field is meant. */
const CLAUDE_PROVIDERS: ReadonlySet<string> = new Set(['claude', 'anthropic']);

/**
 * The model a skill asks for: for Claude its `model` field, for any other provider its entry in `model-hints`, then
 * their `default`. `undefined` means the host's own default; so does `inherit`.
 */
export function resolveModelHint(
  skill: Pick<SkillMetadata, 'model' | 'modelHints'>,
  provider: string,
): string | undefined {
  const wanted = provider.toLowerCase();
  if (CLAUDE_PROVIDERS.has(wanted)) return skill.model === 'inherit' ? undefined : skill.model;
  const hints = Object.entries(skill.modelHints ?? {});
  const hintFor = (name: string): string | undefined => hints.find(([key]) => key.toLowerCase() === name)?.[1];
  return hintFor(wanted) ?? hintFor('default');
}
