import { unifiedDiff } from '../lib/unified-diff.mjs';

/** Tool handler of `diff_text`. */
export default async function handler(args) {
  if (args === null || typeof args !== 'object' || Array.isArray(args)) {
    throw new TypeError('Expected an object with "before" and "after" strings.');
  }
  const ignoreLineEndings = args.ignore_line_endings ?? false;
  if (typeof ignoreLineEndings !== 'boolean') throw new TypeError('"ignore_line_endings" must be true or false.');
  return unifiedDiff(args.before, args.after, {
    context: args.context ?? undefined,
    beforeLabel: args.before_label ?? undefined,
    afterLabel: args.after_label ?? undefined,
    ignoreLineEndings,
  });
}
