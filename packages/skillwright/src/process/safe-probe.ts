import type { Sandbox, SandboxProbe } from '../spec/sandbox.ts';
import { messageOf } from '../spec/errors/caught-error.ts';

/**
 * A tier of the host's own may do anything; one that cannot say what it is, is not there. Reason and remedy are whole
 * sentences, so that they can stand beside others.
 */
export async function probeSafely(sandbox: Sandbox): Promise<SandboxProbe> {
  const remedy = 'See to the sandbox that the host brought.';
  try {
    const probe: unknown = await sandbox.probe();
    if (isProbe(probe)) return probe.available ? probe : toSentences(probe);
    return { available: false, reason: 'its probe did not answer what a probe has to.', remedy };
  } catch (error) {
    const reason = messageOf(error);
    return { available: false, reason: `its probe failed: ${reason}.`, remedy };
  }
}

function toSentences({ reason, remedy }: Extract<SandboxProbe, { available: false }>): SandboxProbe {
  return { available: false, reason: toSentence(reason), remedy: toSentence(remedy) };
}

function toSentence(text: unknown): string {
  const words = String(text).trimEnd();
  return /[.!?]$/.test(words) ? words : `${words}.`;
}

function isProbe(value: unknown): value is SandboxProbe {
  if (typeof value !== 'object' || value === null || !('available' in value)) return false;
  if (value.available === false) return 'reason' in value && 'remedy' in value;
  return (
    value.available === true &&
    'capabilities' in value &&
    typeof value.capabilities === 'object' &&
    value.capabilities !== null
  );
}
