/** `2026-11-16 19:26:02`, in UTC; `never` where there is none. */
export function timeText(time: number | null): string {
  return time === null ? 'never' : new Date(time).toISOString().slice(0, 19).replace('T', ' ');
}

/** `12 ms`, `3.4 s`; `–` where it is not known. */
export function durationText(ms: number | null): string {
  if (ms === null) return '–';
  return ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`;
}
