import { SkillwrightError } from '../../spec/errors/error.ts';
import { engineFailure, type ContainerEngine } from './engine.ts';
import type { ContainerSettings } from './options.ts';

/** An image that is on this machine. */
export interface LocalImage {
  readonly name: string;
  /**
   * The digest of the image's content. Runs use the digest, so that the checked image runs even if its name is moved to
   * another image.
   */
  readonly id: string;
  /** The image's own variables, which programs must not get. */
  readonly variables: readonly string[];
}

export interface ContainerImages {
  /**
   * Finds the image, and fetches it only if that is allowed. Rejects with a coded error if the image does not exist.
   */
  find(name: string): Promise<LocalImage>;
  /** Finds a program's path in an image. Rejects with a coded error if the image does not contain it. */
  locate(image: LocalImage, program: string): Promise<string>;
}

/** Programs that are looked up in an image together, because every lookup starts a container. */
const USUAL_PROGRAMS = ['sh', 'bash', 'node', 'python3', 'ruby', 'perl', 'php', 'pwsh'];
const PULL_MS = 600_000;
const LOOK = 'for name in "$@"; do command -v "$name"; done; true';
const NOTHING_GRANTED = '--network none --cap-drop ALL --security-opt no-new-privileges --read-only'.split(' ');
/** Limits are set explicitly, because podman would otherwise raise them, which not every root user may do. */
const PLAIN_LIMITS = '--ulimit nofile=4096:4096 --ulimit nproc=4096:4096'.split(' ');

export function createContainerImages(engine: ContainerEngine, settings: ContainerSettings): ContainerImages {
  const found = new Map<string, Promise<LocalImage>>();
  const programs = new Map<string, Promise<ReadonlyMap<string, string>>>();
  return {
    find: (name) => once(found, name, () => findImage(engine, name, settings.pulls)),
    async locate(image, program) {
      const look = (names: readonly string[]) => () => lookInto(engine, image, names);
      const usual = await once(programs, image.id, look(USUAL_PROGRAMS));
      const other = USUAL_PROGRAMS.includes(program)
        ? usual
        : await once(programs, `${image.id} ${program}`, look([program]));
      const path = other.get(program);
      if (path !== undefined) return path;
      throw new SkillwrightError(
        'LaunchFailed',
        `The image '${image.name}' has no program '${program}'. Choose one that has it with the option ` +
          "'sandbox.container.image', and allow it with 'sandbox.container.images'.",
        { data: { image: image.name, program } },
      );
    },
  };
}

/** Caches only successful results, because a missing image or program may exist later. */
function once<T>(kept: Map<string, Promise<T>>, key: string, find: () => Promise<T>): Promise<T> {
  let result = kept.get(key);
  if (result === undefined) {
    result = find();
    kept.set(key, result);
    result.catch(() => kept.delete(key));
  }
  return result;
}

async function findImage(engine: ContainerEngine, name: string, pulls: boolean): Promise<LocalImage> {
  let answer = await inspect(engine, name);
  if (!answer.ok && pulls) {
    const pulled = await engine.call(['pull', '--quiet', name], { timeoutMs: PULL_MS });
    if (!pulled.ok) throw engineFailure(`The image '${name}' could not be fetched`, pulled);
    answer = await inspect(engine, name);
  }
  const [id = '', variables = '[]'] = answer.stdout.trim().split('\n');
  if (answer.ok && id !== '') return { name, id, variables: variableNames(variables) };
  throw new SkillwrightError(
    'LaunchFailed',
    `The image '${name}' is not on this machine. To fetch it, run '${engine.name} pull ${name}'.`,
    { data: { image: name } },
  );
}

function inspect(engine: ContainerEngine, name: string): ReturnType<ContainerEngine['call']> {
  return engine.call(['image', 'inspect', '--format', '{{.Id}}\n{{json .Config.Env}}', name]);
}

function variableNames(json: string): string[] {
  const list: unknown = JSON.parse(json);
  if (!Array.isArray(list)) return [];
  return list.map((entry: unknown) => String(entry).split('=', 1)[0] ?? '').filter((name) => name !== '');
}

/** The paths at which the image's own shell finds programs. */
async function lookInto(
  engine: ContainerEngine,
  image: LocalImage,
  names: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const args = [
    'run',
    '--rm',
    ...NOTHING_GRANTED,
    ...PLAIN_LIMITS,
    '--entrypoint',
    'sh',
    image.id,
    '-c',
    LOOK,
    'sh',
    ...names,
  ];
  const answer = await engine.call(args);
  if (!answer.ok) throw engineFailure(`The image '${image.name}' could not be inspected with its own sh`, answer);
  const paths = answer.stdout.split('\n').filter((line) => line.startsWith('/'));
  return new Map(paths.map((path) => [path.slice(path.lastIndexOf('/') + 1), path]));
}
