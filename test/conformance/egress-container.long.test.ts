import { createTestContainers } from './container-test-sandbox.ts';
import { describeEgress } from './egress.ts';

describeEgress('container', createTestContainers());
