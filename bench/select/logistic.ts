/** An observation for a logistic regression. */
export interface Example {
  readonly factors: readonly number[];
  readonly isRight: boolean;
  readonly weight: number;
}

/** Keeps coefficients near 0 unless the examples say otherwise; the intercept is free. */
const RIDGE = 0.3;
const MOST_STEPS = 25;

/** The intercept and the coefficients of a logistic regression, by Newton's method. */
export function fitLogistic(examples: readonly Example[]): number[] {
  const size = 1 + (examples[0]?.factors.length ?? 0);
  let beta: number[] = Array.from({ length: size }, () => 0);
  for (let step = 0; step < MOST_STEPS; step += 1) {
    const ridge = (at: number): number => (at === 0 ? 1e-6 : RIDGE);
    const gradient = beta.map((value, at) => (at === 0 ? 0 : -RIDGE * value));
    const hessian = beta.map((_, row) => beta.map((__, column) => (row === column ? ridge(row) : 0)));
    for (const { factors, isRight, weight } of examples) {
      const x = [1, ...factors];
      const chance = 1 / (1 + Math.exp(-dot(x, beta)));
      for (const [row, value] of x.entries()) {
        gradient[row] = (gradient[row] ?? 0) + weight * (Number(isRight) - chance) * value;
        const cells = hessian[row] as number[];
        for (const [column, other] of x.entries())
          cells[column] = (cells[column] ?? 0) + weight * chance * (1 - chance) * value * other;
      }
    }
    const change = solve(hessian, gradient);
    beta = beta.map((value, at) => value + (change[at] ?? 0));
    if (change.every((value) => Math.abs(value) < 1e-6)) break;
  }
  return beta;
}

function dot(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);
}

/** Gaussian elimination; the matrix is positive definite, so no pivot is zero. */
function solve(matrix: readonly number[][], values: readonly number[]): number[] {
  const rows = matrix.map((row, at) => [...row, values[at] ?? 0]);
  for (const [at, pivot] of rows.entries()) {
    const scale = pivot[at] ?? 1;
    for (let column = at; column < pivot.length; column += 1) pivot[column] = (pivot[column] ?? 0) / scale;
    for (const [other, row] of rows.entries()) {
      const share = row[at] ?? 0;
      if (other !== at)
        for (let column = at; column < row.length; column += 1)
          row[column] = (row[column] ?? 0) - share * (pivot[column] ?? 0);
    }
  }
  return rows.map((row) => row.at(-1) ?? 0);
}
