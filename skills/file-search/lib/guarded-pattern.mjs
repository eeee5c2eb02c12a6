import { createContext, Script } from 'node:vm';

const SHOWN_CHARACTERS = 300;
const SHOWN_BEFORE = 80;

/**
 * Finds the lines of a text that match a pattern, in at most `maxMs`; `undefined` when that was not enough. A regular expression
 * may take years, and only the watchdog of `vm` ends it.
 */
export function createLineSearch(pattern) {
  const context = createContext({ work: undefined });
  const script = new Script('work()');
  return (text, { maxMs, maxMatches }) => {
    const found = [];
    context.work = () => collect(text, pattern, maxMatches, found);
    try {
      script.runInContext(context, { timeout: maxMs });
      return found;
    } catch (error) {
      if (error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return undefined;
      throw error;
    }
  };
}

function collect(text, pattern, maxMatches, found) {
  let number = 0;
  for (const line of text.split('\n')) {
    number += 1;
    const match = pattern.exec(line);
    if (match === null) continue;
    found.push({ line: number, text: excerpt(line, match.index) });
    if (found.length >= maxMatches) return;
  }
}

/** The line, or for a long line the part around the match. */
function excerpt(line, at) {
  const start = line.length <= SHOWN_CHARACTERS ? 0 : Math.max(0, at - SHOWN_BEFORE);
  const end = Math.min(line.length, start + SHOWN_CHARACTERS);
  const shown = line.slice(start, end).toWellFormed().replace(/\r$/, '');
  return `${start > 0 ? '…' : ''}${shown}${end < line.length ? '…' : ''}`;
}
