import { hostMark } from '../bubblewrap/orphans.ts';
import { messageOf } from '../../spec/errors/error.ts';
import { findContainerEngine, type ContainerEngine } from './engine.ts';
import { createContainerImages, type ContainerImages, type LocalImage } from './images.ts';
import { containerSettings, imageFor, type ContainerOptions, type ContainerSettings } from './options.ts';
import { removeOrphans } from './orphans.ts';

/** Facts that do not change from launch to launch. */
export interface ContainerHost {
  readonly engine: ContainerEngine;
  readonly settings: ContainerSettings;
  readonly images: ContainerImages;
  readonly mark: string;
  /** The first allowed image on this machine. */
  readonly sample: LocalImage;
}

export type ContainerReading =
  | { readonly ok: true; readonly host: ContainerHost }
  | { readonly ok: false; readonly reason: string; readonly remedy: string };

/** Finds an engine, and tests whether it can start containers here. Never rejects. */
export async function readContainerHost(
  options: ContainerOptions,
  environment: Readonly<Record<string, string>>,
): Promise<ContainerReading> {
  const found = await findContainerEngine(options.engine, environment);
  if (!found.ok) return found;
  const { engine } = found;
  const settings = containerSettings(options);
  const images = createContainerImages(engine, settings);
  try {
    await removeOrphans(engine);
    const sample = await findSample(images, settings);
    // Run one container as a test before reporting the tier as available.
    await images.locate(sample, 'sh');
    return { ok: true, host: { engine, settings, images, mark: hostMark(), sample } };
  } catch (error) {
    const reason = messageOf(error);
    return { ok: false, reason, remedy: 'docs/containers.md has what the container tier needs.' };
  }
}

async function findSample(images: ContainerImages, settings: ContainerSettings): Promise<LocalImage> {
  const wanted = settings.image === undefined ? settings.images : [imageFor('', settings)];
  const problems: unknown[] = [];
  for (const name of wanted) {
    try {
      return await images.find(name);
    } catch (error) {
      problems.push(error);
    }
  }
  throw problems[0];
}
