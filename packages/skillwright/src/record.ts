// `skillwright/record`: keeps runs and traces in memory or in files, and reads them back.
import { assertNodeVersion } from './process/node-version.ts';

export type { ExecutionBeginning, ExecutionEnding, ExecutionEndReason, Recorder } from './spec/recorder.ts';
export { createJsonlRecorder, type JsonlRecorder, type JsonlRecorderOptions } from './record/files/jsonl-recorder.ts';
export { createMemoryRecorder, type MemoryRecorder, type MemoryRecorderOptions } from './record/memory-recorder.ts';
export {
  readExecutions,
  type ExecutionReading,
  type ReadExecutionsOptions,
  type RecordDamage,
} from './record/files/read-executions.ts';
export type { RecordedExecution } from './record/files/read-executions.ts';
export { createTraceFile, type TraceFile, type TraceFileOptions } from './record/files/trace-file.ts';
export { readTraces, type ReadTracesOptions, type TraceDamage, type TraceReading } from './record/files/trace-file.ts';

assertNodeVersion();
