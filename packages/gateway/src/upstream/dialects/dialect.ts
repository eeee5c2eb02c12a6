import type { WireFormatName } from 'skillwright/wire';
import { anthropicDialect } from './anthropic.ts';
import type { Failure } from '../failure.ts';
import { geminiDialect } from './gemini.ts';
import { openaiDialect } from './openai.ts';

/** A model in a list, as its provider describes it. */
export interface ListedModel {
  readonly id: string;
  readonly entry: unknown;
}

/** What a family of APIs has beside its requests to models: errors, and lists of models. */
export interface Dialect {
  /** Whose endpoints these are. */
  readonly formats: readonly [WireFormatName, ...WireFormatName[]];
  errorBody(failure: Failure, requestId: string): unknown;
  /** Where all models are listed, as a client of the gateway would ask. */
  readonly listPath: string;
  /** The models of a list; those that cannot be understood are left out. */
  readList(body: unknown): ListedModel[];
  listBody(models: readonly ListedModel[]): unknown;
  /** A model of which nothing but its name is known. */
  describe(id: string): ListedModel;
}

const DIALECTS: Readonly<Record<WireFormatName, Dialect>> = {
  'openai-chat': openaiDialect,
  'openai-responses': openaiDialect,
  'anthropic-messages': anthropicDialect,
  gemini: geminiDialect,
};

export function dialectOf(format: WireFormatName): Dialect {
  return DIALECTS[format];
}

/** The format of a caller at a path that several dialects have: its headers tell. */
export function callersFormat(header: (name: string) => string | undefined): WireFormatName {
  if (header('anthropic-version') !== undefined || header('x-api-key') !== undefined) return 'anthropic-messages';
  return header('x-goog-api-key') === undefined ? 'openai-chat' : 'gemini';
}
