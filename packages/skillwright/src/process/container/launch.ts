import { basename, join } from 'node:path';
import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { SkillwrightError } from '../../spec/errors/error.ts';
import type { SandboxLaunch, SandboxProcess } from '../../spec/sandbox.ts';
import { readEnd } from '../bubblewrap/start-shell.ts';
import { identityFor } from '../bubblewrap/system.ts';
import { inheritableDescriptors, startChild, type StartedChild } from '../child-process.ts';
import { createContainerFiles, openChannelDoor, type ChannelDoor } from './channel.ts';
import { createCommand, type ContainerPlan } from './command.ts';
import { endContainer, containerGateCommand, openContainerGate } from './start-shell.ts';
import { engineFailure, type ContainerEngine } from './engine.ts';
import type { ContainerHost } from './host.ts';
import type { ContainerImages, LocalImage } from './images.ts';
import { planContainerMounts, type ContainerMounts } from './mounts.ts';
import { imageFor } from './options.ts';
import { containerLabels, containerName, postWarden, type Warden } from './orphans.ts';
import { containerSyscallProfile } from './syscalls.ts';
import { EGRESS_DIRECTORY, launcherCommand, SHARED_DIRECTORY, type LauncherTask } from '../sandbox-launcher.ts';

const CHANNEL_MS = 30_000;

/** Cleanups for a container, in the order in which things were opened. */
type Closers = (() => unknown)[];

/** Creates and starts a container. If that fails, it rejects and leaves nothing behind. */
export async function launchContainer(host: ContainerHost, launch: SandboxLaunch): Promise<SandboxProcess> {
  const closers: Closers = [];
  try {
    return await launchWith(host, launch, closers);
  } catch (error) {
    await closeAll(closers);
    throw error;
  }
}

async function launchWith(host: ContainerHost, launch: SandboxLaunch, closers: Closers): Promise<SandboxProcess> {
  const { engine, settings, images } = host;
  const mounts = planContainerMounts(launch);
  const image = await images.find(imageFor('name' in mounts.program ? mounts.program.name : '', settings));
  const files = createContainerFiles(containerSyscallProfile());
  closers.push(() => files.remove());
  const door = launch.channel ? await openChannelDoor(files.shared) : undefined;
  if (door !== undefined) closers.push(() => door.close());
  const name = containerName(host.mark, launch.executionId);
  const plan: ContainerPlan = {
    name,
    labels: containerLabels(host.mark, launch.executionId),
    image,
    mounts,
    user: userFor(mounts.writable),
    syscallProfile: files.syscallProfile,
    shared: door === undefined && mounts.held.length === 0 ? undefined : files.shared,
    command: await prefixed(host, image, launch, mounts, await commandIn(images, image, launch, mounts.program, door)),
  };
  const { args, env } = createCommand(engine, settings, launch, plan);
  const warden = await postWarden(engine, name);
  closers.push(() => warden.dismiss());
  const created = await engine.call(args, { env });
  // If the engine refused to create the container, a running container may already have this name and must not be
  // removed.
  if (created.ok || created.late) closers.push(() => engine.call(['rm', '-f', name]));
  if (!created.ok) throw engineFailure('The container could not be created', created);
  const child = await startChild({
    program: engine.program,
    args: ['start', '--attach', '--interactive', name],
    cwd: '/',
    env: engine.env,
    channel: false,
    covered: inheritableDescriptors(),
  });
  if (mounts.held.length > 0) void openContainerGate(engine, name, files.shared, mounts.held);
  const channel = door === undefined ? undefined : await channelOf(door, child);
  // From here on, the engine removes the container when it ends (`--rm`).
  closers.pop();
  return accompany(engine, { name, child, warden, channel, closers });
}

interface StartedContainer {
  readonly name: string;
  readonly child: StartedChild;
  readonly warden: Warden;
  readonly channel: Socket | undefined;
  readonly closers: Closers;
}

function accompany(engine: ContainerEngine, container: StartedContainer): SandboxProcess {
  const { name, child, warden, channel, closers } = container;
  const exited = child.exited.then((exit) => readEnd(exit, true));
  let ending: Promise<void> | undefined;
  const end = async (): Promise<void> => {
    if (child.isRunning()) await endContainer(engine, name, child);
    await closeAll(closers);
  };
  void exited.then(() => (ending ??= end()));
  return {
    stdin: child.stdin,
    stdout: child.stdout,
    stderr: child.stderr,
    ...(channel === undefined ? {} : { channel }),
    exited,
    kill: () => (ending ??= end()),
    keepAlive(kept) {
      child.keepAlive(kept);
      warden.keepAlive(kept);
      channel?.[kept ? 'ref' : 'unref']();
    },
  };
}

/**
 * The host's end of the channel; `undefined` if the program ended first. The program opens its own end as it starts.
 */
async function channelOf(door: ChannelDoor, child: StartedChild): Promise<Socket | undefined> {
  const waiting = new AbortController();
  const late = pause(CHANNEL_MS, 'late' as const, { signal: waiting.signal }).catch(() => undefined);
  const channel = await Promise.race([door.opened, child.exited.then(() => undefined), late]);
  waiting.abort();
  if (channel !== 'late') return channel;
  throw new SkillwrightError(
    'LaunchFailed',
    `No program in the container opened the channel to the host within ${CHANNEL_MS} ms.`,
  );
}

/** The container's command: the program, preceded by the launcher that connects it to the host. */
async function commandIn(
  images: ContainerImages,
  image: LocalImage,
  launch: SandboxLaunch,
  program: ContainerMounts['program'],
  door: ChannelDoor | undefined,
): Promise<readonly string[]> {
  const path = 'name' in program ? await images.locate(image, program.name) : program.path;
  const command = [path, ...launch.args];
  if (door === undefined && launch.egress === undefined) return command;
  const task: LauncherTask = {
    ...(door === undefined ? {} : { channel: join(SHARED_DIRECTORY, door.name) }),
    ...(launch.egress === undefined ? {} : { egress: join(EGRESS_DIRECTORY, basename(launch.egress.socket)) }),
  };
  const wanted = 'name' in program && program.name === 'node' ? ['node', 'python3'] : ['python3', 'node'];
  for (const name of wanted) {
    const interpreter = await images.locate(image, name).catch(() => undefined);
    if (interpreter === undefined) continue;
    return launcherCommand(interpreter, name === 'node' ? 'javascript' : 'python', task, command);
  }
  throw new SkillwrightError(
    'LaunchFailed',
    `The image '${image.name}' has neither node nor python3, one of which must connect programs to the host. ` +
      "Choose one that has either with the option 'sandbox.container.image'.",
    { data: { image: image.name } },
  );
}

/**
 * The commands that run before the program and then become it: the gate, and the removal of variables that an engine
 * always adds.
 */
async function prefixed(
  { engine, images }: ContainerHost,
  image: LocalImage,
  launch: SandboxLaunch,
  { held }: ContainerMounts,
  command: readonly string[],
): Promise<readonly string[]> {
  const isAdding = engine.name === 'podman' && launch.env['HOSTNAME'] === undefined;
  const env = isAdding ? await images.locate(image, 'env').catch(() => undefined) : undefined;
  const clean = env === undefined ? command : [env, '-u', 'HOSTNAME', ...command];
  // Others may be able to change the mounted paths during mounting, so nothing runs before the comparison with the
  // paths outside.
  return held.length === 0 ? clean : containerGateCommand(await images.locate(image, 'sh'), clean);
}

/** The user that the program runs as: never root, and the owner of a workspace that it may write. */
function userFor(writable: string | undefined): ContainerPlan['user'] {
  const uid = process.getuid?.() ?? 0;
  if (uid !== 0) return { uid, gid: process.getgid?.() ?? uid };
  return identityFor(writable, false);
}

/** Runs the cleanups, the last one first. Ignores errors: what cannot be closed is already gone. */
async function closeAll(closers: Closers): Promise<void> {
  for (const close of closers.splice(0).reverse()) {
    try {
      await close();
    } catch {
      // Ignore the error, because the remaining resources must still be closed.
    }
  }
}
