/**
 * How many milliseconds a server asks to wait: `retry-after-ms`, or `retry-after` in seconds or as a date, which is
 * compared with the server's own clock if the response has a date.
 */
export function retryAfterMs(headers: Readonly<Record<string, string>>, now: number): number | undefined {
  const milliseconds = decimal(headers['retry-after-ms']);
  if (milliseconds !== undefined) return Math.round(milliseconds);
  const text = headers['retry-after'];
  const seconds = decimal(text);
  if (seconds !== undefined) return Math.round(seconds * 1000);
  const until = dateOf(text);
  return until === undefined ? undefined : Math.max(0, until - (dateOf(headers.date) ?? now));
}

function decimal(text: string | undefined): number | undefined {
  return text !== undefined && /^\s*\d{1,9}(?:\.\d{1,9})?\s*$/.test(text) ? Number(text) : undefined;
}

/** Parses an HTTP date. Other texts that `Date` would accept are rejected. */
function dateOf(text: string | undefined): number | undefined {
  if (text === undefined || !/^[A-Z][a-z]{2,8}, .+ GMT$/.test(text.trim())) return undefined;
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : time;
}
