import type { SandboxOptions } from 'skillwright/sandbox';
import type { SandboxConfig } from '../config/config.ts';

/** The parts of the library's sandbox options that say what containers are like and what may be reached. */
export function sandboxSettings({
  egressAllow,
  egressPrivate,
  container,
}: SandboxConfig): Pick<SandboxOptions, 'egress' | 'container'> {
  const { engine, images, image, memoryBytes, cpuLimit } = container;
  return {
    ...(egressAllow.length === 0 ? {} : { egress: { allow: egressAllow, private: egressPrivate } }),
    container: {
      images,
      memory: memoryBytes,
      cpus: cpuLimit / 1_000,
      ...(engine === 'auto' ? {} : { engine }),
      ...(image === '' ? {} : { image }),
    },
  };
}
