const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const MONTH = `(?:${MONTHS.join('|')})[a-z]{0,6}\\.?`;
const DAY = String.raw`\d{1,2}(?:st|nd|rd|th)?`;
/** `2026-03-01`, `1 March 2026` or `March 1, 2026`; never `03/01/2026`, which is ambiguous. */
const DATE = new RegExp(
  String.raw`\b(?:(\d{4}-\d{2}-\d{2})|(${DAY}) {1,3}(?:of {1,3})?(${MONTH}),? {1,3}(\d{4})|(${MONTH}) {1,3}(${DAY}),? {1,3}(\d{4}))\b`,
  'gi',
);

export const ISO_DATE: RegExp = /^\d{4}-\d{2}-\d{2}$/;

/** The dates in a text, in order, and the text without them. */
export function datesIn(text: string): { readonly dates: readonly string[]; readonly rest: string } {
  const dates: string[] = [];
  const rest = text.replaceAll(
    DATE,
    (_all, iso?: string, d1?: string, m1?: string, y1?: string, m2?: string, d2?: string, y2?: string) => {
      dates.push(iso ?? written(y1 ?? y2 ?? '', m1 ?? m2 ?? '', d1 ?? d2 ?? ''));
      return ' ';
    },
  );
  return { dates, rest };
}

function written(year: string, month: string, day: string): string {
  const number = MONTHS.indexOf(month.slice(0, 3).toLowerCase()) + 1;
  return [year, String(number).padStart(2, '0'), String(Number.parseInt(day, 10)).padStart(2, '0')].join('-');
}
