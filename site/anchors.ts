/** The anchor of a heading, as forges and our site make it. */
export function toAnchor(heading: string): string {
  const text = heading.toLowerCase().replaceAll(/[^\p{L}\p{N}\s_-]/gu, '');
  return text.trim().replaceAll(/\s/g, '-');
}
