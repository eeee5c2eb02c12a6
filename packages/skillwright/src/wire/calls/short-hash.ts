const PRIME = 0x100000001b3n;

/** FNV-1a of 64 bits over UTF-16 code units, the last of it as letters and digits. */
export function shortHash(text: string, length: number): string {
  let value = 0xcbf29ce484222325n;
  for (let at = 0; at < text.length; at += 1) value = BigInt.asUintN(64, (value ^ BigInt(text.charCodeAt(at))) * PRIME);
  return value.toString(36).padStart(13, '0').slice(-length);
}
