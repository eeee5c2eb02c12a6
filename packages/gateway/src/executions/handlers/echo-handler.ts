import type { Handler } from '../executor.ts';

/** A handler that is always there: it answers what it is given, and a text backwards, too. */
export const ECHO_HANDLER_NAME = 'echo-handler';

export const echoHandler: Handler = (input) => {
  const { text } = input;
  return typeof text === 'string' ? { ...input, reversed: [...text].toReversed().join('') } : { ...input };
};
