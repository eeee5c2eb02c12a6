import { Transform, type Readable, type Writable } from 'node:stream';

/** How many bytes of responses may wait for a client that does not read. */
const MAX_WAITING_BYTES = 4_194_304;

/**
 * The client's messages, read only as fast as the client reads the responses. Otherwise a client that sends requests
 * and never reads would fill this process's memory.
 */
export function patientInput(input: Readable, output: Writable): Readable {
  const gate = new Transform({
    transform(chunk, _encoding, pass) {
      if (output.writableLength <= MAX_WAITING_BYTES) pass(null, chunk);
      else output.once('drain', () => pass(null, chunk));
    },
  });
  return input.pipe(gate);
}
