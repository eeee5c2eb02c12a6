import type { ScriptedFault } from '../script.ts';

/** What is sent of a reply, and how it ends. */
export interface ReplyPlan {
  readonly chunks: readonly Uint8Array[];
  /** `end`: properly. `reset`: the connection breaks. `hold`: it stays open, silent. `silence`: not even headers. */
  readonly ending: 'end' | 'reset' | 'hold' | 'silence';
}

/** How a stream goes, with what goes wrong. */
export function planFrames(frames: readonly string[], fault: ScriptedFault | undefined): ReplyPlan {
  if (fault === undefined || fault.type === 'status') return { chunks: bytes(frames), ending: 'end' };
  const { afterFrames } = fault;
  const sent = bytes(frames.slice(0, afterFrames ?? 0));
  if (fault.type === 'stall') return { chunks: sent, ending: afterFrames === undefined ? 'silence' : 'hold' };
  const rest = frames.slice(afterFrames ?? 0);
  const broken = fault.within === undefined ? [] : [brokenPart(rest, fault.within)];
  return { chunks: [...sent, ...broken], ending: fault.by ?? 'reset' };
}

function bytes(frames: readonly string[]): readonly Uint8Array[] {
  return frames.map((frame) => Buffer.from(frame));
}

/** How a response in one piece is sent: cut off at half of it, or after half a character. */
export function planWhole(text: string, fault: ScriptedFault | undefined): ReplyPlan {
  if (fault?.type !== 'cut') return planFrames([text], fault);
  return { chunks: [brokenPart([text], fault.within ?? 'frame')], ending: fault.by ?? 'reset' };
}

function brokenPart(frames: readonly string[], within: 'frame' | 'character'): Uint8Array {
  const next = Buffer.from(frames[0] ?? '');
  const all = Buffer.from(frames.join(''));
  const place = within === 'character' ? all.findIndex((byte) => byte >= 0x80) : -1;
  return place === -1 ? next.subarray(0, Math.floor(next.length / 2)) : all.subarray(0, place + 1);
}
