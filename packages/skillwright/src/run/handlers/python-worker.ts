/**
 * A Python program that answers calls of handlers like `NODE_WORKER_PROGRAM`, passed by `-c`.
 *
 * - It removes the working directory from the module path before any import, because the files there are not ours.
 * - A thread reads the channel, so that the worker ends with its host even while a handler is busy.
 * - If the handler forks, and the child returns from the handler, the child must not answer too.
 * - It leaves no `__pycache__` in the skill.
 */
export const PYTHON_WORKER_PROGRAM: string = `
import sys
if sys.path and sys.path[0] == "":
    del sys.path[0]
import json, os, queue, threading
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_file_location

HOME = os.getpid()
os.set_inheritable(3, False)
os.set_blocking(3, True)
sys.dont_write_bytecode = True
for stream in (sys.stdout, sys.stderr):
    stream.reconfigure(line_buffering=True)
calls = queue.SimpleQueue()
modules = {}

def listen():
    held = []
    while True:
        try:
            chunk = os.read(3, 1048576)
        except OSError:
            chunk = b""
        if not chunk:
            os._exit(0)
        *lines, rest = chunk.split(b"\\n")
        for line in lines:
            calls.put(b"".join(held) + line)
            held = []
        held.append(rest)

def write_all(descriptor, data):
    rest = memoryview(data)
    try:
        while rest:
            rest = rest[os.write(descriptor, rest):]
    except OSError:
        pass

def say(message):
    write_all(3, message.encode() + b"\\n")

def flush():
    for stream in (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__):
        try:
            stream.flush()
        except Exception:
            pass

def load(file):
    directory = os.path.dirname(file)
    if sys.path[:1] != [directory]:
        if directory in sys.path:
            sys.path.remove(directory)
        sys.path.insert(0, directory)
    sys.argv = [file]
    if file not in modules:
        name = "skill_handler_%d" % len(modules)
        loader = SourceFileLoader(name, file)
        module = module_from_spec(spec_from_file_location(name, file, loader=loader))
        sys.modules[name] = module
        loader.exec_module(module)
        modules[file] = module
    return modules[file]

def settle(value):
    if not hasattr(type(value), "__await__"):
        return value
    import asyncio
    async def wait():
        return await value
    return asyncio.run(wait())

def refuse(value):
    kind = type(value).__name__
    if isinstance(value, (bytes, bytearray, memoryview)):
        raise TypeError("it contains " + kind + ", which is binary; encode it as base64 text")
    raise TypeError("it contains a " + kind + ", which is not valid JSON")

def describe(error):
    import traceback
    try:
        message = str(error) or type(error).__name__
        trace = error.__traceback__
        stack = "".join(traceback.format_exception(type(error), error, trace and trace.tb_next))
    except Exception:
        return {"message": "it raised an exception that cannot be shown"}
    # The host cuts long stacks after removing secrets.
    return {"message": message[:200000], "stack": stack if len(stack) < 200000 else ""}

def attempt(call):
    try:
        os.environ.update(call["env"])
        handler = getattr(load(call["file"]), "handler", None)
        if not callable(handler):
            return {"ok": False, "kind": "missing", "message": "it defines no function named handler"}
        value = settle(handler(call["input"]))
    except SystemExit:
        raise
    except BaseException as error:
        return {"ok": False, "kind": "thrown", **describe(error)}
    try:
        return {"ok": True, "value": json.dumps(value, allow_nan=False, default=refuse)}
    except RecursionError:
        return {"ok": False, "kind": "result", "message": "it is nested too deeply"}
    except Exception as error:
        return {"ok": False, "kind": "result", "message": str(error)[:200000]}

def serve(line):
    call = json.loads(line)
    say(json.dumps({"id": call["id"], "begun": True}))
    reply = attempt(call)
    flush()
    if os.getpid() != HOME:
        os._exit(0)
    write_all(1, call["mark"].encode())
    write_all(2, call["mark"].encode())
    value = reply.pop("value", None)
    head = json.dumps({"id": call["id"], **reply})
    say(head if value is None else head[:-1] + ', "value": ' + value + "}")

threading.Thread(target=listen, daemon=True).start()
while True:
    serve(calls.get())
`;
