import type { WireFormatName } from 'skillwright/wire';
import { anthropicDialect } from './anthropic.ts';
import type { Failure } from '../upstream.ts';
import { geminiDialect } from './gemini.ts';
import { openaiDialect } from './openai.ts';

/** A model in a list, as its provider describes it. */
export interface ListedModel {
  readonly id: string;
  readonly entry: unknown;
}

/** The parts of an API family besides its model requests: errors and lists of models. */
export interface Dialect {
  /** The wire formats of this API family. */
  readonly formats: readonly [WireFormatName, ...WireFormatName[]];
  errorBody(failure: Failure, requestId: string): unknown;
  /** The path that lists all models, as the gateway's clients call it. */
  readonly listPath: string;
  /** Reads the models of a list, and skips invalid ones. */
  readList(body: unknown): ListedModel[];
  listBody(models: readonly ListedModel[]): unknown;
  /** Describes a model of which only the name is known. */
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

/** Tells from the headers which format a caller uses, at a path that several dialects share. */
export function callersFormat(header: (name: string) => string | undefined): WireFormatName {
  if (header('anthropic-version') !== undefined || header('x-api-key') !== undefined) return 'anthropic-messages';
  return header('x-goog-api-key') === undefined ? 'openai-chat' : 'gemini';
}
