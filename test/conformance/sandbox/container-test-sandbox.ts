import {
  createContainerSandbox,
  type ContainerSandbox,
} from '../../../packages/skillwright/src/process/container/sandbox.ts';
import type { ContainerOptions } from '../../../packages/skillwright/src/process/container/options.ts';

/** Built by `.ci/container-image` from the machine's own files. */
export const TEST_IMAGE = 'skillwright-test:local';

/** `SKILLWRIGHT_TEST_ENGINE=podman` selects that engine if both are installed. */
function chosenEngine(): ContainerOptions {
  const name = process.env['SKILLWRIGHT_TEST_ENGINE'];
  return name === 'docker' || name === 'podman' ? { engine: name } : {};
}

/** The container tier in the test image, with looser limits for rows that were written for stronger tiers. */
export function createTestContainers(options: ContainerOptions = {}): ContainerSandbox {
  return createContainerSandbox({
    image: TEST_IMAGE,
    images: [TEST_IMAGE],
    memory: 1_073_741_824,
    cpus: 2,
    // Rows that grant the network connect to a server of this machine.
    network: 'host',
    ...chosenEngine(),
    ...options,
  });
}
