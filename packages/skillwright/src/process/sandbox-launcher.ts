/**
 * A small program that starts before the actual program, in tiers that cannot pass on descriptors and ports themselves.
 * It connects descriptor 3 to a socket of the host, and forwards a port of the sandbox's loopback to the host's proxy.
 */
export interface LauncherTask {
  /** The source of descriptor 3: a socket's path, or `inherited`. */
  readonly channel?: string | undefined;
  /** The proxy's socket. */
  readonly egress?: string | undefined;
}

export type LauncherLanguage = 'javascript' | 'python';

/** The directory in which containers find the socket of their channel. */
export const SHARED_DIRECTORY = '/run/skillwright';
/** The directory in which sandboxes find the proxy's socket. */
export const EGRESS_DIRECTORY = '/run/skillwright-egress';
/** The proxy's port, in the sandbox's private network, where nothing else listens. */
const PROXY_PORT = 3128;

/** `interpreter` is the path of Node or Python inside the sandbox. */
export function launcherCommand(
  interpreter: string,
  language: LauncherLanguage,
  task: LauncherTask,
  command: readonly string[],
): string[] {
  const told = JSON.stringify({ ...task, port: PROXY_PORT });
  return language === 'javascript'
    ? [interpreter, '--eval', NODE_LAUNCHER, '--', told, ...command]
    : [interpreter, '-I', '-c', PYTHON_LAUNCHER, told, ...command];
}

/**
 * The variables by which programs find the proxy, in upper and lower case, because most programs read only one of them.
 */
export function proxyVariables(): Record<string, string> {
  const proxy = `http://127.0.0.1:${PROXY_PORT}`;
  const local = 'localhost,127.0.0.1,::1';
  return {
    HTTP_PROXY: proxy,
    HTTPS_PROXY: proxy,
    NO_PROXY: local,
    http_proxy: proxy,
    https_proxy: proxy,
    no_proxy: local,
    // Node reads the proxy variables only with this setting.
    NODE_USE_ENV_PROXY: '1',
  };
}

/**
 * The Node launcher stays running, because Node cannot become another program. It forwards signals and exits like the
 * program.
 */
const NODE_LAUNCHER = `
const { spawn } = require('node:child_process');
const { closeSync } = require('node:fs');
const { connect, createServer } = require('node:net');
const self = globalThis.process;
const [, told, program, ...args] = self.argv;
const { channel, egress, port } = JSON.parse(told);
const fail = (what) => (error) => {
  self.stderr.write(what + ': ' + error.message + '\\n', () => self.exit(125));
};
const begin = (third) => {
  const stdio = ['inherit', 'inherit', 'inherit', ...(third === undefined ? [] : [third])];
  const child = spawn(program, args, { stdio });
  if (third === 3) closeSync(3);
  else if (third !== undefined) third.destroy();
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) self.on(signal, () => child.kill(signal));
  child.on('error', fail('The program cannot be started'));
  child.on('exit', (code, signal) => {
    if (signal === null) self.exit(code);
    self.removeAllListeners(signal);
    self.kill(self.pid, signal);
  });
};
const connectChannel = () => {
  if (channel === undefined) return begin();
  if (channel === 'inherited') return begin(3);
  const socket = connect(channel, () => {
    socket.removeAllListeners('error');
    socket.on('error', () => {});
    begin(socket);
  });
  socket.on('error', fail('The channel cannot be opened'));
};
if (egress === undefined) connectChannel();
else {
  const server = createServer({ allowHalfOpen: true }, (inner) => {
    const outer = connect({ path: egress, allowHalfOpen: true });
    for (const [one, other] of [[inner, outer], [outer, inner]]) {
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
      one.pipe(other);
    }
  });
  server.on('error', fail('The way to the proxy cannot be opened'));
  server.listen(port, '127.0.0.1', connectChannel);
}
`;

/**
 * The Python launcher is isolated from the working directory and the environment. It becomes the program, and leaves a
 * child that forwards the port.
 */
const PYTHON_LAUNCHER = `
import json, os, socket, sys, threading
told = json.loads(sys.argv[1])
command = sys.argv[2:]

def carry(source, target):
    try:
        while True:
            data = source.recv(65536)
            if not data:
                break
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        for end in (source, target):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

def serve(inner):
    outer = socket.socket(socket.AF_UNIX)
    with inner, outer:
        try:
            outer.connect(told["egress"])
        except OSError:
            return
        back = threading.Thread(target=carry, args=(outer, inner), daemon=True)
        back.start()
        carry(inner, outer)
        back.join()

if "egress" in told:
    server = socket.create_server(("127.0.0.1", told["port"]))
    if os.fork() == 0:
        for descriptor in (0, 1, 2):
            os.dup2(os.open(os.devnull, os.O_RDWR), descriptor)
        if told.get("channel") == "inherited":
            os.close(3)
        while True:
            threading.Thread(target=serve, args=(server.accept()[0],), daemon=True).start()
    server.close()
if told.get("channel", "inherited") != "inherited":
    channel = socket.socket(socket.AF_UNIX)
    channel.connect(told["channel"])
    os.dup2(channel.fileno(), 3)
    os.set_inheritable(3, True)
os.execvp(command[0], command)
`;
