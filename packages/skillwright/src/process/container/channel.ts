import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const CHANNEL = 'channel';
const PROFILE = 'syscalls.json';

/** The host's files for one container: closed to other users, except for the part that the container sees. */
export interface ContainerFiles {
  readonly directory: string;
  /**
   * The directory that the container sees. Other users can read it, because the user inside the container has another
   * number.
   */
  readonly shared: string;
  /** The seccomp profile: system calls that the container must not make. */
  readonly syscallProfile: string;
  remove(): void;
}

export function createContainerFiles(syscalls: string): ContainerFiles {
  const directory = mkdtempSync(join(tmpdir(), 'skillwright-container-'));
  const shared = join(directory, 'shared');
  const syscallProfile = join(directory, PROFILE);
  mkdirSync(shared, { mode: 0o755 });
  writeFileSync(syscallProfile, syscalls);
  return { directory, shared, syscallProfile, remove: () => rmSync(directory, { recursive: true, force: true }) };
}

/** The host's end of a container's descriptor 3. */
export interface ChannelDoor {
  /** The socket's name in the shared directory. */
  readonly name: string;
  /** The first and only connection. Never settles if nothing connects. */
  readonly opened: Promise<Socket>;
  close(): void;
}

export async function openChannelDoor(shared: string): Promise<ChannelDoor> {
  const path = join(shared, CHANNEL);
  let announce: (socket: Socket) => void;
  const opened = new Promise<Socket>((resolve) => {
    announce = resolve;
  });
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    // It is not an error if a program ends early.
    socket.on('error', () => {});
    // The connection is half open while only one side has closed; it ends when the other side closes.
    socket.on('end', () => socket.end());
    server.close();
    announce(socket);
  });
  server.maxConnections = 1;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
  chmodSync(path, 0o777);
  return { name: CHANNEL, opened, close: () => server.close() };
}
