import { createBubblewrapSandbox } from '../../../packages/skillwright/src/process/bubblewrap/sandbox.ts';
import { describeEgress } from './egress.ts';

describeEgress('bubblewrap', createBubblewrapSandbox());
