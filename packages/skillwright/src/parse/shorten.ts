/** The text, or as many of its first characters, and `…`. Never ends in half a character. */
export function shorten(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length).toWellFormed()}…` : text;
}
