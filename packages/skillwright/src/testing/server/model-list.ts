import type { IncomingHttpHeaders } from 'node:http';

/** The list of models in the caller's dialect; `undefined` for a path that lists none. */
export function modelList(path: string, headers: IncomingHttpHeaders, models: readonly string[]): unknown {
  if (path === '/v1beta/models') return { models: models.map(geminiModel) };
  if (path !== '/v1/models' && path !== '/api/v1/models') return undefined;
  if (headers['anthropic-version'] !== undefined) {
    const data = models.map((id) => ({
      type: 'model',
      id,
      display_name: id,
      created_at: '2026-01-01T00:00:00Z',
    }));
    return { data, has_more: false, first_id: models[0] ?? null, last_id: models.at(-1) ?? null };
  }
  const data = models.map((id) => ({ id, object: 'model', created: 1_767_225_600, owned_by: 'scripted' }));
  return { object: 'list', data };
}

function geminiModel(id: string): unknown {
  return {
    name: `models/${id}`,
    version: '001',
    displayName: id,
    inputTokenLimit: 1_048_576,
    outputTokenLimit: 65_536,
    supportedGenerationMethods: ['generateContent', 'countTokens'],
  };
}
