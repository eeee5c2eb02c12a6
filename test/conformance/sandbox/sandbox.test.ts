import { createBubblewrapSandbox } from '../../../packages/skillwright/src/process/bubblewrap/sandbox.ts';
import { createProcessSandbox } from '../../../packages/skillwright/src/process/plain/sandbox.ts';
import { describeSandbox } from './sandbox.ts';

describeSandbox('process', createProcessSandbox());
// With no programs on its path, the tier runs without PID namespaces, as it does for every user except root.
describeSandbox('process (without PID namespaces)', createProcessSandbox({ path: '/nowhere' }));
describeSandbox('bubblewrap', createBubblewrapSandbox());
