import type { Dialect } from './dialect.ts';
import { listedModels, memberOf } from './listed-models.ts';

export const openaiDialect: Dialect = {
  formats: ['openai-chat', 'openai-responses'],
  errorBody: ({ status, code, message }) => ({
    error: { message, type: status < 500 ? 'invalid_request_error' : 'server_error', param: null, code: toSnake(code) },
  }),
  listPath: '/v1/models',
  readList: (body) => listedModels(memberOf(body, 'data'), 'id'),
  listBody: (models) => ({ object: 'list', data: models.map(({ entry }) => entry) }),
  describe: (id) => ({ id, entry: { id, object: 'model', created: 0, owned_by: 'skillwright' } }),
};

/** `ModelNotFound` is `model_not_found`, as clients know it. */
function toSnake(code: string): string {
  return code.replaceAll(/(?<=.)[A-Z]/g, '_$&').toLowerCase();
}
