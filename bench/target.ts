import { formatTable } from './table.ts';

/** A target. Without `pass` it was not measured, and `measured` may say why. */
export interface Target {
  readonly name: string;
  readonly limit: string;
  readonly measured?: string;
  readonly pass?: boolean;
}

export function isMissed(targets: readonly Target[]): boolean {
  return targets.some(({ pass }) => pass === false);
}

export function formatTargets(targets: readonly Target[]): string {
  const rows = targets.map(({ name, limit, measured, pass }) => {
    return [name, limit, measured ?? '', pass === undefined ? 'not measured' : pass ? 'pass' : 'FAIL'];
  });
  return formatTable(['target', 'limit', 'measured', ''], rows);
}
