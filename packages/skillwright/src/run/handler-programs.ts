/**
 * Programs that call a handler: `{ file, input }` as JSON on stdin, the answer as JSON on descriptor 3, so that whatever the
 * handler prints is only output. An answer is `{ ok: true, value }`, or `{ ok: false, kind, message }` with kind
 * `missing` (no handler), `thrown` or `result` (not JSON).
 */
export const NODE_HANDLER_PROGRAM: string = `
import { readFileSync, writeSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
const answer = (reply) => {
  const bytes = Buffer.from(JSON.stringify(reply));
  for (let sent = 0; sent < bytes.length; ) {
    try {
      sent += writeSync(3, bytes, sent);
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
    }
  }
};
const messageOf = (error) => (error instanceof Error ? error.message || error.name : String(error));
try {
  const { file, input } = JSON.parse(readFileSync(0, 'utf8'));
  const loaded = await import(pathToFileURL(file).href);
  const found = [loaded.default, loaded.handler, loaded.default?.default, loaded.default?.handler];
  const handler = found.find((candidate) => typeof candidate === 'function');
  if (handler === undefined) answer({ ok: false, kind: 'missing', message: 'it has no default export and no export named handler that is a function' });
  else {
    const value = await handler(input);
    let text;
    try {
      text = JSON.stringify(value ?? null);
      if (text === undefined) throw typeof value + ' is not JSON';
    } catch (error) {
      answer({ ok: false, kind: 'result', message: messageOf(error) });
    }
    if (text !== undefined) answer({ ok: true, value: JSON.parse(text) });
  }
} catch (error) {
  answer({ ok: false, kind: 'thrown', message: messageOf(error) });
  console.error(error instanceof Error ? error.stack : error);
}
`;

export const PYTHON_HANDLER_PROGRAM: string = `
import asyncio, importlib.util, inspect, json, os, sys, traceback

def answer(reply):
    with os.fdopen(3, "w", encoding="utf-8") as channel:
        channel.write(reply)

try:
    call = json.load(sys.stdin)
    path = call["file"]
    sys.argv = [path]
    sys.path.insert(0, os.path.dirname(path))
    spec = importlib.util.spec_from_file_location("skill_handler", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    handler = getattr(module, "handler", None)
    if not callable(handler):
        reply = json.dumps({"ok": False, "kind": "missing", "message": "it defines no function named handler"})
    else:
        value = handler(call["input"])
        if inspect.isawaitable(value):
            async def settle():
                return await value
            value = asyncio.run(settle())
        try:
            reply = json.dumps({"ok": True, "value": value}, allow_nan=False)
        except (TypeError, ValueError, RecursionError) as error:
            reply = json.dumps({"ok": False, "kind": "result", "message": str(error)})
except BaseException as error:
    if isinstance(error, SystemExit) and error.code in (None, 0):
        raise
    traceback.print_exc()
    reply = json.dumps({"ok": False, "kind": "thrown", "message": str(error) or type(error).__name__})
sys.stdout.flush()
answer(reply)
`;
