import type { Dialect } from './dialect.ts';
import { listedModels, memberOf } from '../listed-models.ts';

/**
 * OpenAI's error types for statuses with a type of their own. All others are `invalid_request_error` or `server_error`.
 */
const TYPES: Readonly<Record<number, string>> = { 429: 'requests' };
/** OpenAI's own codes for these statuses. */
const CODES: Readonly<Record<number, string>> = { 401: 'invalid_api_key', 429: 'rate_limit_exceeded' };

export const openaiDialect: Dialect = {
  formats: ['openai-chat', 'openai-responses'],
  errorBody: ({ status, code, message }) => {
    const type = TYPES[status] ?? (status < 500 ? 'invalid_request_error' : 'server_error');
    return { error: { message, type, param: null, code: CODES[status] ?? toSnake(code) } };
  },
  listPath: '/v1/models',
  readList: (body) => listedModels(memberOf(body, 'data'), 'id'),
  listBody: (models) => ({ object: 'list', data: models.map(({ entry }) => entry) }),
  describe: (id) => ({ id, entry: { id, object: 'model', created: 0, owned_by: 'skillwright' } }),
};

/** Converts `ModelNotFound` to `model_not_found`, the spelling that clients know. */
function toSnake(code: string): string {
  return code.replaceAll(/(?<=.)[A-Z]/g, '_$&').toLowerCase();
}
