import { describe, expect, it } from 'vitest';
import { hostProblem, loopbackHosts } from './host-check.ts';

const policy = { hosts: loopbackHosts(4747), origins: ['https://app.example'] };

describe('hostProblem', () => {
  it.each([
    ['127.0.0.1:4747', undefined],
    ['localhost:4747', undefined],
    ['LocalHost:4747', undefined],
    ['[::1]:4747', undefined],
    ['localhost:4747', 'http://localhost:4747'],
    ['localhost:4747', 'HTTP://LOCALHOST:4747'],
    ['[::1]:4747', 'http://[::1]:4747'],
    ['127.0.0.1:4747', 'https://app.example'],
  ])('lets Host %s and Origin %s pass', (host, origin) => {
    expect(hostProblem({ host, origin }, policy)).toBeUndefined();
  });

  it.each([
    [undefined],
    [''],
    ['localhost'],
    ['localhost:80'],
    ['localhost.:4747'],
    ['127.0.0.2:4747'],
    ['127.1:4747'],
    ['2130706433:4747'],
    ['0.0.0.0:4747'],
    ['::1:4747'],
    ['[::1]'],
    ['[::ffff:127.0.0.1]:4747'],
    ['rebind.example:4747'],
    ['127.0.0.1.rebind.example:4747'],
    ['localhost:4747.rebind.example'],
    ['localhost:4747, rebind.example'],
    ['user@localhost:4747'],
    ['localhost:4747/'],
    [' localhost:4747'],
    ['localhost:4747\n'],
  ])('refuses Host %j', (host) => {
    expect(hostProblem({ host, origin: undefined }, policy)).toMatch(/host/i);
  });

  it.each([
    ['null'],
    [''],
    ['http://rebind.example'],
    ['http://rebind.example:4747'],
    ['http://localhost'],
    ['http://localhost:4748'],
    ['http://127.0.0.1:4747'],
    ['http://localhost:4747.rebind.example'],
    ['http://localhost:4747@rebind.example'],
    ['http://localhost:4747/'],
    ['file://localhost:4747'],
    ['chrome-extension://localhost:4747'],
    ['http://app.example'],
    ['https://app.example:8443'],
    ['https://sub.app.example'],
    ['http://localhost:4747 http://rebind.example'],
  ])('refuses Origin %j', (origin) => {
    expect(hostProblem({ host: 'localhost:4747', origin }, policy)).toBe(
      'Pages of another origin may not call this server.',
    );
  });

  it('knows the ports that schemes leave out', () => {
    const open = { hosts: ['gateway.example'] };
    for (const origin of ['https://gateway.example', 'https://gateway.example:443', 'http://gateway.example'])
      expect(hostProblem({ host: 'gateway.example', origin }, open)).toBeUndefined();
    expect(hostProblem({ host: 'gateway.example', origin: 'https://gateway.example:8443' }, open)).toBeDefined();
  });

  it('names the hosts it knows, so that a proxy can be set up', () => {
    expect(hostProblem({ host: 'a.example', origin: undefined }, policy)).toBe(
      "This server does not answer for the host 'a.example'. Known hosts: 127.0.0.1:4747, localhost:4747, [::1]:4747.",
    );
  });
});
