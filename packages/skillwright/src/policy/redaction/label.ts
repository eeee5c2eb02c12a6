/** Block characters: none of them is likely in a secret, let alone all. */
const BLOCKS = Array.from({ length: 32 }, (_, index) => String.fromCodePoint(0x2588 + index));

/**
 * What stands in place of a secret: `[redacted:NAME]`, or the first choice that cannot become part of a form of any
 * secret, whatever stands beside it. A secret such as `redacted` would otherwise still be there afterwards.
 */
export function chooseLabel(name: string | undefined, forms: readonly string[]): string {
  const named = name !== undefined && /^[\w.-]{1,64}$/.test(name) ? [`[redacted:${name}]`] : [];
  const choices = [...named, '[redacted]', '<redacted>', '***', ...BLOCKS];
  return choices.find((choice) => forms.every((form) => !canTouch(choice, form))) ?? '[redacted]';
}

/** Is one inside the other, or does one end as the other begins? */
function canTouch(label: string, form: string): boolean {
  if (label.includes(form)) return true;
  // Whatever else they share holds an end of the label: this settles nearly all.
  if (!form.includes(label.slice(0, 1)) && !form.includes(label.slice(-1))) return false;
  if (form.includes(label)) return true;
  for (let size = Math.min(label.length, form.length) - 1; size > 0; size -= 1) {
    if (form.endsWith(label.slice(0, size)) || form.startsWith(label.slice(-size))) return true;
  }
  return false;
}
