/** Renders a value for a message: short, on one line, and safe for values of any size and depth. */
export function shown(value: unknown): string {
  if (typeof value === 'string') {
    const cut = shorten(value, 60);
    return `'${cut.replaceAll(/\p{Cc}/gu, (character) => JSON.stringify(character).slice(1, -1))}'`;
  }
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object' && value !== null) return 'an object';
  return typeof value === 'number' || typeof value === 'boolean' || value === null ? String(value) : 'nothing';
}

/** The text, or its first characters and `…`. Never splits a character. */
export function shorten(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length).toWellFormed()}…` : text;
}
