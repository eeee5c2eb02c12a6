import { SkillwrightError } from '../../spec/errors/error.ts';

/** The engines whose CLI can start containers. */
export type ContainerEngineName = 'docker' | 'podman';

export const CONTAINER_ENGINES: readonly ContainerEngineName[] = ['docker', 'podman'];

/** How the container tier starts containers. */
export interface ContainerOptions {
  /** The engine to use. Default: docker if it answers, otherwise podman. */
  readonly engine?: ContainerEngineName | undefined;
  /** Images that are allowed in addition to `alpine:3.20`, `node:22-alpine` and `python:3.12-alpine`. */
  readonly images?: readonly string[] | undefined;
  /**
   * The image for every program. Default: `alpine:3.20`, `node:22-alpine` or `python:3.12-alpine`, whichever fits the
   * program.
   */
  readonly image?: string | undefined;
  /** Memory limit of one container in bytes. Default 268,435,456; `limits.memoryBytes` may lower it. */
  readonly memory?: number | undefined;
  /** Processors that one container may use. Default 0.5. */
  readonly cpus?: number | undefined;
  /** The engine's network for programs with network access but no list of hosts. Default `bridge`. */
  readonly network?: string | undefined;
  /** Whether to fetch images that are not on this machine. Default `never`. */
  readonly pull?: 'never' | 'missing' | undefined;
}

const DEFAULT_CONTAINER_IMAGES: readonly string[] = ['alpine:3.20', 'node:22-alpine', 'python:3.12-alpine'];
const DEFAULT_CONTAINER_MEMORY_BYTES = 268_435_456;
const DEFAULT_CONTAINER_CPUS = 0.5;

/** The options with defaults filled in. */
export interface ContainerSettings {
  readonly images: readonly string[];
  readonly image: string | undefined;
  readonly memoryBytes: number;
  readonly cpus: number;
  readonly network: string;
  readonly pulls: boolean;
}

export function containerSettings(options: ContainerOptions): ContainerSettings {
  return {
    images: [...new Set([...DEFAULT_CONTAINER_IMAGES, ...(options.images ?? [])])],
    image: options.image,
    memoryBytes: options.memory ?? DEFAULT_CONTAINER_MEMORY_BYTES,
    cpus: options.cpus ?? DEFAULT_CONTAINER_CPUS,
    network: options.network ?? 'bridge',
    pulls: options.pull === 'missing',
  };
}

/** The image for a program, by the program's name inside images. Throws if the image is not allowed. */
export function imageFor(program: string, { image, images }: ContainerSettings): string {
  const [shell = '', node = '', python = ''] = DEFAULT_CONTAINER_IMAGES;
  const chosen = image ?? (program === 'node' ? node : program === 'python3' ? python : shell);
  if (images.includes(chosen)) return chosen;
  throw new SkillwrightError(
    'LaunchFailed',
    `The image '${chosen}' is not allowed. Allowed images: ${images.join(', ')}. ` +
      "To allow it, add it to the option 'sandbox.container.images'.",
    { data: { image: chosen } },
  );
}
