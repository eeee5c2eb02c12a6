const VERSION = /^(\d+)\.(\d+)\.(\d+)(?:-([0-9A-Za-z.-]+))?/;

/** Which of two semantic versions is the newer: negative where `a` is. None at all is the oldest. */
export function compareNewest(a: string | undefined, b: string | undefined): number {
  if (a === b) return 0;
  const [left, right] = [VERSION.exec(a ?? ''), VERSION.exec(b ?? '')];
  if (left === null || right === null) return Number(left === null) - Number(right === null);
  for (const part of [1, 2, 3]) {
    const order = compareNumbers(right[part] ?? '', left[part] ?? '');
    if (order !== 0) return order;
  }
  return comparePrereleases(right[4], left[4]);
}

/** Digits may be more than a number can hold. */
function compareNumbers(a: string, b: string): number {
  const [left, right] = [a.replace(/^0+/, ''), b.replace(/^0+/, '')];
  return left.length - right.length || compareText(left, right);
}

function compareText(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

/** A release is newer than what came before it; numbers are older than words. */
function comparePrereleases(a: string | undefined, b: string | undefined): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
  const [left, right] = [a.split('.'), b.split('.')];
  for (let index = 0; index < Math.min(left.length, right.length); index += 1) {
    const [one = '', other = ''] = [left[index], right[index]];
    const [isNumber, isOtherNumber] = [/^\d+$/.test(one), /^\d+$/.test(other)];
    const order =
      isNumber && isOtherNumber
        ? compareNumbers(one, other)
        : Number(isOtherNumber) - Number(isNumber) || compareText(one, other);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}
