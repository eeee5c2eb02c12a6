/**
 * A Node program that answers calls of JavaScript handlers. It is passed by `--eval`, so that no file of this package
 * must exist where it runs. Descriptor 3 has one JSON call per line, `{ id, file, input, env, mark }`. The worker sends
 * `{ id, begun: true }`, calls the handler, writes `mark` to stdout and stderr, where the call's output ends, and
 * answers `{ id, ok: true, value }` or `{ id, ok: false, kind, message, stack }`, with `spent: true` if it should not
 * serve another call.
 *
 * - `process.stdout` makes its descriptor non-blocking for children too, so it is flushed only if the handler opened
 * it.
 * - An exception from an earlier, answered call must not be mistaken for one from the current call.
 * - When the channel closes, the worker ends at once, without running any more code of the handler.
 */
export const NODE_WORKER_PROGRAM: string = `
import { AsyncLocalStorage } from 'node:async_hooks';
import { writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';

const self = globalThis.process;
const { env, exit, kill, pid } = self;
const { parse, stringify } = JSON;
const owner = new AsyncLocalStorage();
const channel = new Socket({ fd: 3, readable: true, writable: true });
const opened = new Set();
let running;
let spent = false;

const end = (code) => exit.call(self, code);
const abandon = () => {
  kill.call(self, pid, 'SIGKILL');
  end(0);
};

for (const name of ['stdout', 'stderr']) {
  const own = Object.getOwnPropertyDescriptor(self, name);
  if (own?.get === undefined) continue;
  const get = () => {
    const stream = own.get.call(self);
    opened.add(stream);
    return stream;
  };
  Object.defineProperty(self, name, { ...own, get });
}

const writeAll = (descriptor, text) => {
  let rest = Buffer.from(text);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(descriptor, rest));
    } catch (error) {
      if (error.code !== 'EAGAIN') return;
    }
  }
};

const flush = async () => {
  for (const stream of opened)
    if (stream.writableLength > 0) await new Promise((resolve) => Writable.prototype.write.call(stream, '', resolve));
};

const describe = (error) => {
  try {
    if (typeof error?.message === 'string') {
      const message = error.message || String(error.name);
      // The host cuts long stacks after removing secrets.
      const stack = typeof error.stack === 'string' && error.stack.length < 200000 ? { stack: error.stack } : {};
      return { message: message.slice(0, 200000), ...stack };
    }
    const plain = typeof error === 'object' && error !== null ? stringify(error) : String(error);
    return { message: String(plain).slice(0, 200000) };
  } catch {
    return { message: 'it threw a value that cannot be shown' };
  }
};

const refuse = (raw, item) => {
  if (ArrayBuffer.isView(raw) || raw instanceof ArrayBuffer) throw 'it contains binary data; encode it as base64 text';
  if (typeof item === 'number' && !Number.isFinite(item)) throw 'it contains ' + item + ', which is not valid JSON';
  if (typeof item === 'bigint') throw 'it contains a BigInt, which is not valid JSON';
  if (item instanceof Map || item instanceof Set)
    throw 'it contains a ' + (item instanceof Map ? 'Map' : 'Set') + ', which is not valid JSON; return an object or an array';
};

const encode = (value) => {
  const text = stringify(value ?? null, function (key, item) {
    refuse(this[key], item);
    return item;
  });
  if (text === undefined) throw 'it is a ' + typeof value + ', which is not valid JSON';
  return text;
};

const explain = (error) => {
  if (error instanceof RangeError) return 'it is nested too deeply, or too large';
  return describe(error).message.split('\\n', 1)[0];
};

const attempt = async ({ file, input, env: variables }) => {
  let value;
  try {
    Object.assign(env, variables);
    const loaded = await import(pathToFileURL(file).href);
    const found = [loaded.default, loaded.handler, loaded.default?.default, loaded.default?.handler];
    const handler = found.find((candidate) => typeof candidate === 'function');
    if (handler === undefined)
      return { ok: false, kind: 'missing', message: 'it has no default export and no export named handler that is a function' };
    value = await handler(input);
  } catch (error) {
    return { ok: false, kind: 'thrown', ...describe(error) };
  }
  try {
    return { ok: true, text: encode(value) };
  } catch (error) {
    return { ok: false, kind: 'result', message: explain(error) };
  }
};

const serve = async (call) => {
  running = call;
  channel.write(stringify({ id: call.id, begun: true }) + '\\n');
  const { text, ...reply } = await owner.run(call, () => attempt(call));
  await flush();
  writeAll(1, call.mark);
  writeAll(2, call.mark);
  call.isAnswered = true;
  running = undefined;
  const head = stringify({ ...(spent ? { spent } : {}), id: call.id, ...reply });
  channel.write(text === undefined ? head + '\\n' : head.slice(0, -1) + ',"value":' + text + '}\\n');
};

self.on('uncaughtException', (error) => {
  writeAll(2, (error instanceof Error ? error.stack : 'Uncaught ' + describe(error).message) + '\\n');
  spent = true;
  if (running === undefined || owner.getStore()?.isAnswered !== true) end(1);
});

let held = [];
channel.setEncoding('utf8');
channel.on('data', (chunk) => {
  const lines = chunk.split('\\n');
  if (lines.length === 1) return void held.push(chunk);
  lines[0] = held.join('') + lines[0];
  held = [lines.pop()];
  for (const line of lines) void serve(parse(line));
});
for (const event of ['end', 'close', 'error']) channel.on(event, abandon);
`;
