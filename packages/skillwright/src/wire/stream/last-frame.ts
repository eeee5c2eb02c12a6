import type { WireBody, WireFrame } from '../../spec/wire.ts';
import { isRecord, jsonText, parseJson } from '../json/json-text.ts';
import { withData } from './sse.ts';

/** Changes the last of the frames that `change` has something for; the very same frames, where there is none. */
export function changeLastFrame(
  frames: readonly WireFrame[],
  change: (data: WireBody) => WireBody | undefined,
): readonly WireFrame[] {
  for (const [index, frame] of [...frames.entries()].toReversed()) {
    const reading = frame.data === '' ? undefined : parseJson(frame.data);
    const changed = reading?.ok === true && isRecord(reading.value) ? change(reading.value) : undefined;
    if (changed === undefined) continue;
    const text = jsonText(changed);
    return text === undefined ? frames : frames.with(index, withText(frame, text));
  }
  return frames;
}

/** In an array nothing stands behind the data; in server-sent events there is always an end. */
function withText(frame: WireFrame, text: string): WireFrame {
  const { data, raw } = frame;
  if (!raw.endsWith(data)) return withData(frame, text);
  return { ...frame, data: text, raw: raw.slice(0, raw.length - data.length) + text };
}
