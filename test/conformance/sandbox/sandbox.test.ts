import { createBubblewrapSandbox } from '../../../packages/skillwright/src/process/bubblewrap/sandbox.ts';
import { createProcessSandbox } from '../../../packages/skillwright/src/process/plain/sandbox.ts';
import { describeSandbox } from './sandbox.ts';

describeSandbox('process', createProcessSandbox());
// As for any user but root.
describeSandbox('process (without PID namespaces)', createProcessSandbox({ path: '/nowhere' }));
describeSandbox('bubblewrap', createBubblewrapSandbox());
