import { describe, expect, it } from 'vitest';

interface Answer {
  dates: { date: string; weekday: string; clamped_to_month_end: boolean }[];
}

const file = new URL('../../skills/calendar-calculator/scripts/repeat_date.mts', import.meta.url);
const { default: repeatDate } = (await import(file.href)) as { default: (args: unknown) => Promise<Answer> };

const dates = async (args: object): Promise<string[]> => (await repeatDate(args)).dates.map(({ date }) => date);

describe('calendar-calculator: repeat_date', () => {
  it('returns the result that its instructions show', async () => {
    expect(await repeatDate({ date: '2026-01-31', months: 1, count: 3 })).toEqual({
      dates: [
        { date: '2026-01-31', weekday: 'Saturday', clamped_to_month_end: false },
        { date: '2026-02-28', weekday: 'Saturday', clamped_to_month_end: true },
        { date: '2026-03-31', weekday: 'Tuesday', clamped_to_month_end: false },
      ],
    });
  });

  it('supports every unit, and several together, forward and back', async () => {
    expect(await dates({ date: '2026-11-16', weeks: 2, count: 2 })).toEqual(['2026-11-16', '2026-11-30']);
    expect(await dates({ date: '2024-02-29', years: 1, count: 5 })).toEqual([
      '2024-02-29',
      '2025-02-28',
      '2026-02-28',
      '2027-02-28',
      '2028-02-29',
    ]);
    expect(await dates({ date: '2026-01-01', months: 1, days: 1, count: 3 })).toEqual([
      '2026-01-01',
      '2026-02-02',
      '2026-03-03',
    ]);
    expect(await dates({ date: '2026-01-01', days: -1, count: 2 })).toEqual(['2026-01-01', '2025-12-31']);
  });

  it.each<[unknown, RegExp]>([
    [null, /Expected an object/],
    [{ date: '2026-01-01', days: 1 }, /"count"/],
    [{ date: '2026-01-01', days: 1, count: 0 }, /"count"/],
    [{ date: '2026-01-01', days: 1, count: 1e9 }, /"count"/],
    [{ date: '2026-01-01', count: 2 }, /how often it repeats/],
    [{ date: '2026-01-01', days: 0, count: 2 }, /how often it repeats/],
    [{ date: '2026-01-01', days: 1.5, count: 2 }, /"days" must be a whole number/],
    [{ date: '2026-13-01', days: 1, count: 2 }, /"date"/],
    [{ date: '9999-12-31', days: 1, count: 2 }, /9999/],
  ])('rejects %j', async (args, message) => {
    await expect(repeatDate(args)).rejects.toThrow(message);
  });
});
