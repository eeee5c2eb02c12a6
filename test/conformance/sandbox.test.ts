import { createBubblewrapSandbox } from '../../packages/skillwright/src/process/bubblewrap-sandbox.ts';
import { createProcessSandbox } from '../../packages/skillwright/src/process/process-sandbox.ts';
import { describeSandbox } from './sandbox.ts';

describeSandbox('process', createProcessSandbox());
describeSandbox('bubblewrap', createBubblewrapSandbox());
