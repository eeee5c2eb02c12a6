import type { WireBody, WireFormatName } from './wire.ts';
import type { SkillMetadata } from './skill.ts';

/** A client that answers requests in a provider's format, either over HTTP or with the demo planner. */
export interface ModelClient {
  readonly format: WireFormatName;
  /** The provider's name for the model. */
  readonly model: string;
  /** True only for the demo planner, which is not a language model; user interfaces say so. */
  readonly isDemo?: boolean | undefined;
  /**
   * Sends one request. Never rejects: failures are reported in the reply, or as a `NetworkError` while its chunks are
   * read.
   */
  send(request: ModelRequest): Promise<ModelReply>;
  /** Removes known keys from a text, such as a provider's error message. */
  readonly redact?: ((text: string) => string) | undefined;
  /** Closes open connections. Safe to call again. */
  close?(): Promise<void>;
}

/** One request to a model, with its body in the provider's format. */
export interface ModelRequest {
  readonly body: WireBody;
  readonly stream: boolean;
  readonly signal: AbortSignal;
  /** Headers for this request, which override the client's own. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The query string to add to the URL, without the leading `?`. Default none. */
  readonly query?: string | undefined;
  /**
   * The API version, such as `v1`, for formats whose path begins with one. Ignored if the base URL already has a
   * version. Default: the format's own.
   */
  readonly version?: string | undefined;
}

/** A response with a readable body, or the reason why there is none. */
export type ModelReply =
  | {
      readonly ok: true;
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      /** The body as it arrives. Iteration throws if the connection breaks; stopping early ends the request. */
      readonly chunks: AsyncIterable<Uint8Array>;
    }
  | { readonly ok: false; readonly failure: ModelFailure };

/** Why a model did not answer. */
export interface ModelFailure {
  /**
   * `status`: the provider answered with an error. `connection`: the provider could not be reached, or the connection
   * broke.
   */
  readonly kind: 'status' | 'connection' | 'timeout' | 'cancelled';
  /** What failed, where, and what to do; never contains keys. */
  readonly message: string;
  /** Whether a retry may help. */
  readonly isPassing: boolean;
  /** The code of the error that ended the connection. */
  readonly code?: string | undefined;
  /** How long the provider asks to wait. */
  readonly retryAfterMs?: number | undefined;
  /** The provider's response unchanged, if there was one. */
  readonly answer?:
    | {
        readonly status: number;
        readonly headers: Readonly<Record<string, string>>;
        readonly body: Uint8Array;
      }
    | undefined;
}

/** Providers to which the Claude-specific `model` field applies. */
const CLAUDE_PROVIDERS: ReadonlySet<string> = new Set(['claude', 'anthropic']);

/**
 * The model that a skill prefers: for Claude its `model` field, for any other provider its entry in `model-hints`, or
 * else the `default` entry there. `undefined` and `inherit` mean the host's own default.
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
