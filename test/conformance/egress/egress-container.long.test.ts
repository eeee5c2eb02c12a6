import { createTestContainers } from '../sandbox/container-test-sandbox.ts';
import { describeEgress } from './egress.ts';

describeEgress('container', createTestContainers());
