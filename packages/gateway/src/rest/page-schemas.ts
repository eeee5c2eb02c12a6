import { z } from 'zod';

const MAX_PAGE = 1_000_000;
const MAX_LIMIT = 200;
const DEFAULT_LIMIT = 50;
const MAX_ID = 200;

/** Ids are ours, but clients of other systems bring theirs. */
export const ID: z.ZodString = z.string().min(1).max(MAX_ID);
export const TIME: z.ZodInt = z.int().describe('Milliseconds since 1970.');

export const ID_PARAMS: z.ZodObject<{ id: z.ZodString }> = z.object({ id: ID });

/** What every list takes. */
export const PAGING: {
  readonly page: z.ZodDefault<z.ZodCoercedNumber>;
  readonly limit: z.ZodDefault<z.ZodCoercedNumber>;
} = {
  page: z.coerce.number().int().min(1).max(MAX_PAGE).default(1).describe('From 1.'),
  limit: z.coerce.number().int().min(1).max(MAX_LIMIT).default(DEFAULT_LIMIT).describe('Rows of a page.'),
};

/** What every list answers. */
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

/** What a change answers that has nothing else to say. */
export const SUCCESS: z.ZodObject<{ success: z.ZodLiteral<true> }> = z.object({ success: z.literal(true) });
