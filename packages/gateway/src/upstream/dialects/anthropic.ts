import type { Dialect } from './dialect.ts';
import { listedModels, memberOf } from '../listed-models.ts';

const ERROR_TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
};

export const anthropicDialect: Dialect = {
  formats: ['anthropic-messages'],
  errorBody: ({ status, message }, requestId) => ({
    type: 'error',
    error: { type: ERROR_TYPES[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error'), message },
    request_id: requestId,
  }),
  // The largest page that the API allows.
  listPath: '/v1/models?limit=1000',
  readList: (body) => listedModels(memberOf(body, 'data'), 'id'),
  listBody: (models) => ({
    data: models.map(({ entry }) => entry),
    has_more: false,
    first_id: models[0]?.id ?? null,
    last_id: models.at(-1)?.id ?? null,
  }),
  describe: (id) => ({ id, entry: { type: 'model', id, display_name: id, created_at: '1970-01-01T00:00:00Z' } }),
};
