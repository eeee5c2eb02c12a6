import { createHash } from 'node:crypto';
import { join, resolve } from 'node:path';
import { invalidOption } from '../../spec/errors/error.ts';
import type { Logger } from '../../spec/events/logger.ts';
import { createIndexCache, type IndexCache } from './index-cache.ts';

/** Where the index cache is kept. `true`: in the user's cache directory; a path: in that file; `false`: none. */
export type IndexCacheOption = boolean | string;

export interface IndexCachePlace {
  /** The directory for a cache whose option names no path. */
  readonly directory: () => string;
  /** Plain JSON that distinguishes one catalog from another. */
  readonly identity: unknown;
  readonly logger: Logger;
}

/** The index cache for an option. Throws `InvalidOptions` if the value is invalid. */
export function indexCacheOf(option: IndexCacheOption, place: IndexCachePlace): IndexCache | undefined {
  if (option === false) return undefined;
  if (option === true) {
    const name = createHash('sha256').update(JSON.stringify(place.identity)).digest('hex').slice(0, 32);
    return createIndexCache(join(place.directory(), `${name}.idx`), place.logger);
  }
  if (typeof option === 'string' && option !== '' && !option.includes('\0'))
    return createIndexCache(resolve(option), place.logger);
  const given: unknown = option;
  const shown = JSON.stringify(given)?.slice(0, 80) ?? typeof given;
  throw invalidOption('indexCache', `must be true, false or a path, not ${shown}`);
}
