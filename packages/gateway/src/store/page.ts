/** No id has a character after it. */
export const LAST = '\u{10FFFF}';

/** Which part of a list is asked for. */
export interface PageRequest {
  /** From 1. */
  readonly page: number;
  /** Rows of a page. */
  readonly limit: number;
}

/** A part of a list, as every listing answers it. */
export interface Page<T> {
  readonly data: readonly T[];
  readonly total: number;
  readonly page: number;
  readonly limit: number;
  readonly totalPages: number;
}

export function toPage<T>(data: readonly T[], total: number, { page, limit }: PageRequest): Page<T> {
  return { data, total, page, limit, totalPages: Math.ceil(total / limit) };
}
