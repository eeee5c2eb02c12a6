import { createTestContainers } from './container-test-sandbox.ts';
import { describeSandbox } from './sandbox.ts';

describeSandbox('container', createTestContainers(), {
  startsSlowly: true,
  hasOwnSystem: true,
  endedFromOutside: 'the engine ends containers from outside, and trusts nothing to their first process',
});
