/**
 * A path that stays inside its directory, with `/` and without `.` and `..` steps (`.` alone for the directory itself),
 * or why the path is refused.
 */
type InsidePath =
  | { readonly path: string }
  | {
      /** A phrase to follow the name of the field: "is empty". */
      readonly problem: string;
      /** Whether the path leads, or tries to lead, out of its directory. */
      readonly outside: boolean;
    };

/**
 * Reads a manifest's path, which must stay inside the manifest's directory. Decides by the text alone, the same on
 * every platform: a backslash separates like a slash, and drive letters, UNC paths and URLs are absolute. The reader of
 * the file must check links.
 */
export function parseInsidePath(written: string): InsidePath {
  const text = written.trim();
  if (text === '') return { problem: 'is empty', outside: false };
  if (/\p{Cc}/u.test(written)) return { problem: 'contains a control character', outside: false };
  if (/^[\\/]/.test(text)) return outside('is absolute');
  if (/^[a-zA-Z][a-zA-Z\d+.-]*:\/\//.test(text)) return outside('is a URL');
  const steps: string[] = [];
  for (const step of text.split(/[\\/]/)) {
    if (step === '' || step === '.') continue;
    if (step === '..') {
      if (steps.pop() === undefined) return outside("leaves the directory with '..'");
      continue;
    }
    // Windows drops trailing dots and spaces, so it would read `.. ` and `...` as another path.
    if (/^[. ]+$/.test(step)) return outside(`contains the invalid name '${step.slice(0, 20)}'`);
    steps.push(step);
  }
  const path = steps.join('/');
  // Check for drive letters and `~` last: in `./C:/x` and `a/../~/x`, steps that disappear come before them.
  if (/^ *(?:[a-zA-Z]:|~ *(?:\/|$))/.test(path)) return outside('is absolute');
  return { path: path === '' ? '.' : path };
}

function outside(problem: string): InsidePath {
  return { problem, outside: true };
}
