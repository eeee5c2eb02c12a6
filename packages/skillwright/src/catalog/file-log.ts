import { SkillwrightError } from '../spec/errors/error.ts';
import type { Logger } from '../spec/events/logger.ts';
import type { SkillFiles } from '../spec/source.ts';
import type { SkillRecord } from './snapshot/skill-record.ts';

/** The files of a skill. A path that tries to leave it is logged as an error, a file that is not there as a warning. */
export function logFailures(
  record: SkillRecord,
  logger: Logger,
): Pick<SkillFiles, 'resolve' | 'read' | 'readSync' | 'list'> {
  const { files } = record;
  const log = (error: unknown): unknown => {
    if (!SkillwrightError.isInstance(error)) return error;
    const level = error.code === 'PathNotAllowed' ? 'error' : 'warn';
    logger[level](error.message, { code: error.code, skill: record.metadata.name, ...error.data });
    return error;
  };
  const guarded = <Result>(work: () => Result): Result => {
    try {
      return work();
    } catch (error) {
      throw log(error);
    }
  };
  return {
    resolve: (path) => guarded(() => files.resolve(path)),
    readSync: (path, maxBytes) => guarded(() => files.readSync(path, maxBytes)),
    async read(path, maxBytes) {
      try {
        return await files.read(path, maxBytes);
      } catch (error) {
        throw log(error);
      }
    },
    list: (limit) => files.list(limit),
  };
}
