/** The REST request that lets models use a skill that is off. */
export function turnOnRequest(id: string): {
  readonly method: 'PUT';
  readonly path: string;
  readonly body: { readonly mode: 'auto' };
} {
  return { method: 'PUT', path: `/api/skills/${id}`, body: { mode: 'auto' } };
}
