import { describe, expect, it } from 'vitest';
import { assertSandboxOptions } from './sandbox-options.ts';

describe('assertSandboxOptions', () => {
  it.each([
    undefined,
    'container',
    {},
    { container: {} },
    { container: { engine: 'podman', images: ['team/tools:1@sha256:abc'], image: 'alpine:3.20', memory: 6_291_456 } },
    { container: { cpus: 0.25, network: 'host', pull: 'missing' } },
    { network: true, egress: { allow: [] } },
    { network: true, egress: { allow: ['*.pypi.org'], private: ['10.0.0.0/8'] } },
  ])('accepts %j', (options) => {
    expect(() => assertSandboxOptions(options)).not.toThrow();
  });

  it.each([
    [{ egres: {} }, "Option 'sandbox.egres' is not known"],
    [{ egress: {} }, "Option 'sandbox.egress.allow' must be a list of hosts"],
    [{ egress: [] }, "Option 'sandbox.egress.allow' must be a list of hosts"],
    [{ egress: { allow: ['http://x'] } }, 'which is not a host'],
    [{ egress: { allow: [], deny: [] } }, "Option 'sandbox.egress.deny' is not known"],
    [{ egress: { allow: [], private: 'x' } }, "Option 'sandbox.egress.private' must be a list"],
    [{ egress: { allow: [], private: ['10.0.0.1/8'] } }, 'which is not a host, address or range'],
    [{ container: 'docker' }, "Option 'sandbox.container' must be an object"],
    [{ container: { engine: 'lxc' } }, "Option 'sandbox.container.engine' must be one of docker, podman"],
    [{ container: { images: 'alpine' } }, "Option 'sandbox.container.images' must be a list"],
    [{ container: { images: ['--privileged'] } }, 'which is not the name of an image'],
    [{ container: { image: 'a b' } }, 'which is not the name of an image'],
    [{ container: { image: 7 } }, 'which is not the name of an image'],
    [{ container: { memory: 1 } }, "Option 'sandbox.container.memory' must be a whole number"],
    [{ container: { cpus: 0 } }, "Option 'sandbox.container.cpus' must be a number"],
    [{ container: { cpus: Number.NaN } }, "Option 'sandbox.container.cpus' must be a number"],
    [{ container: { network: '--pid=host' } }, "Option 'sandbox.container.network' must be the name"],
    [{ container: { pull: 'always' } }, "Option 'sandbox.container.pull' must be one of never, missing"],
    [{ container: { privileged: true } }, "Option 'sandbox.container.privileged' is not known"],
  ])('rejects %j', (options, message) => {
    expect(() => assertSandboxOptions(options)).toThrow(message);
  });
});
