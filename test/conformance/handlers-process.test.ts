import { createProcessSandbox } from '../../packages/skillwright/src/process/process-sandbox.ts';
import { describeHandlers } from './handlers.ts';

describeHandlers('process', createProcessSandbox());
