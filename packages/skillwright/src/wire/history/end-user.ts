/** The person that a client of OpenAI's speaks for: it has an old and a new name for it, and may send both. */
export function endUserOf(...given: readonly unknown[]): string | undefined {
  const named = given.filter((value) => typeof value === 'string' && value !== '');
  return named.length === 0
    ? undefined
    : JSON.stringify(given.map((value) => (typeof value === 'string' ? value : '')));
}
