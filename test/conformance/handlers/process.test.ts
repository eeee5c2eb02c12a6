import { createProcessSandbox } from '../../../packages/skillwright/src/process/plain/sandbox.ts';
import { describeHandlers } from './handlers.ts';

describeHandlers('process', createProcessSandbox());
