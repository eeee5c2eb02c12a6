import type { Dialect } from './dialect.ts';
import { listedModels, memberOf } from '../listed-models.ts';

const STATUS_NAMES: Readonly<Record<number, string>> = {
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  408: 'DEADLINE_EXCEEDED',
  409: 'ABORTED',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  502: 'UNAVAILABLE',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
};

const PREFIX = 'models/';

export const geminiDialect: Dialect = {
  formats: ['gemini'],
  errorBody: ({ status, code, message }) => ({
    error: {
      code: status,
      message,
      status: STATUS_NAMES[status] ?? 'INVALID_ARGUMENT',
      details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: code, domain: 'skillwright' }],
    },
  }),
  // The largest page that the API allows.
  listPath: '/v1beta/models?pageSize=1000',
  readList: (body) =>
    listedModels(memberOf(body, 'models'), 'name').map(({ id, entry }) => ({ id: id.replace(/^models\//, ''), entry })),
  listBody: (models) => ({ models: models.map(({ entry }) => entry) }),
  describe: (id) => ({
    id,
    entry: {
      name: id.includes('/') ? id : `${PREFIX}${id}`,
      displayName: id,
      supportedGenerationMethods: ['generateContent', 'streamGenerateContent'],
    },
  }),
};
