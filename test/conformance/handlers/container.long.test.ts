import { createTestContainers } from '../sandbox/container-test-sandbox.ts';
import { describeHandlers } from './handlers.ts';

describeHandlers('container', createTestContainers());
