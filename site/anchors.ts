/** The anchor that forges, and so our site, give a heading. */
export function toAnchor(heading: string): string {
  const text = heading.toLowerCase().replaceAll(/[^\p{L}\p{N}\s_-]/gu, '');
  return text.trim().replaceAll(/\s/g, '-');
}
