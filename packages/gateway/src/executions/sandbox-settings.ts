import type { SandboxOptions } from 'skillwright/sandbox';
import type { SandboxConfig } from '../config/config.ts';

/** Translates the configuration into the library's sandbox options for containers and egress. */
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
