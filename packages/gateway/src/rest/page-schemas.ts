import { z } from 'zod';

const MAX_PAGE = 1_000_000;
const MAX_LIMIT = 200;
const DEFAULT_LIMIT = 50;
const MAX_ID = 200;

/** An id in a request. The gateway generates its own ids, but clients of other systems may send ids of their own. */
export const ID: z.ZodString = z.string().min(1).max(MAX_ID);
export const TIME: z.ZodInt = z.int().describe('Milliseconds since 1970.');

export const ID_PARAMS: z.ZodObject<{ id: z.ZodString }> = z.object({ id: ID });

/** The query parameters of every list. */
export const PAGING: { readonly page: WholeNumber; readonly limit: WholeNumber } = {
  page: wholeNumber(MAX_PAGE, 1).describe('The page to show, starting with 1.'),
  limit: wholeNumber(MAX_LIMIT, DEFAULT_LIMIT).describe('The number of rows on a page.'),
};

type WholeNumber = z.ZodDefault<z.ZodPreprocess<z.ZodInt>>;

/** Plain decimal numbers: `0x1` and `1e3` are refused. */
const WRITTEN_NUMBER = /^-?\d{1,9}(?:\.\d{1,9})?$/;

function readNumber(text: unknown): unknown {
  return WRITTEN_NUMBER.test(String(text)) ? Number(text) : text;
}

function wholeNumber(most: number, fallback: number): WholeNumber {
  return z.preprocess(readNumber, z.int().min(1).max(most).meta({ default: fallback })).default(fallback);
}

/** The response of every list. */
export function pageOf<Row extends z.ZodType>(
  row: Row,
): z.ZodObject<{
  data: z.ZodArray<Row>;
  total: z.ZodInt;
  page: z.ZodInt;
  limit: z.ZodInt;
  totalPages: z.ZodInt;
}> {
  return z.object({ data: z.array(row), total: z.int(), page: z.int(), limit: z.int(), totalPages: z.int() });
}

/** The response of a change that returns nothing else. */
export const SUCCESS: z.ZodObject<{ success: z.ZodLiteral<true> }> = z.object({ success: z.literal(true) });
