/** Values of the labels, in the order of their names. */
type LabelValues = readonly string[];

export interface Counter {
  add(amount: number, ...labels: LabelValues): void;
}

export interface Histogram {
  observe(value: number, ...labels: LabelValues): void;
}

/**
 * Counters, gauges and histograms in Prometheus' text format. Three kinds of series do not justify a package, and the
 * usual package keeps its series in a registry shared by the whole process.
 */
export interface Metrics {
  counter(name: string, help: string, labels?: readonly string[]): Counter;
  /** A value that is read when metrics are requested. If reading fails, it is left out. */
  gauge(name: string, help: string, read: () => number | Promise<number>): void;
  /** Adds a histogram. Bounds are in ascending order. */
  histogram(name: string, help: string, bounds: readonly number[], labels?: readonly string[]): Histogram;
  render(): Promise<string>;
}

export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

export function createMetrics(): Metrics {
  const sections: (() => Promise<string[]>)[] = [];
  const section = (
    name: string,
    help: string,
    type: string,
    lines: () => readonly string[] | Promise<readonly string[]>,
  ): void => {
    sections.push(async () => [`# HELP ${name} ${escapeHelp(help)}`, `# TYPE ${name} ${type}`, ...(await lines())]);
  };
  return {
    counter: (name, help, labels = []) => {
      const series = new Map<string, { readonly values: LabelValues; total: number }>();
      section(name, help, 'counter', () =>
        [...series.values()].map(({ values, total }) => `${name}${labelText(labels, values)} ${total}`),
      );
      return {
        add: (amount, ...values) => {
          const key = values.join('\0');
          const known = series.get(key);
          if (known === undefined) series.set(key, { values, total: amount });
          else known.total += amount;
        },
      };
    },
    gauge: (name, help, read) =>
      section(name, help, 'gauge', async () => {
        try {
          return [`${name} ${await read()}`];
        } catch {
          return [];
        }
      }),
    histogram: (name, help, bounds, labels = []) => {
      const series = new Map<string, Observations>();
      section(name, help, 'histogram', () =>
        [...series.values()].flatMap((one) => histogramLines(name, bounds, labels, one)),
      );
      return {
        observe: (value, ...values) => {
          const key = values.join('\0');
          let known = series.get(key);
          if (known === undefined) {
            known = { values, counts: bounds.map(() => 0), count: 0, sum: 0 };
            series.set(key, known);
          }
          const place = bounds.findIndex((bound) => value <= bound);
          if (place !== -1) known.counts[place] = (known.counts[place] ?? 0) + 1;
          known.count += 1;
          known.sum += value;
        },
      };
    },
    async render() {
      const all = await Promise.all(sections.map((lines) => lines()));
      return `${all.flat().join('\n')}\n`;
    },
  };
}

interface Observations {
  readonly values: LabelValues;
  /** For each bound, how many values lie between this bound and the next lower one. */
  readonly counts: number[];
  count: number;
  sum: number;
}

function histogramLines(
  name: string,
  bounds: readonly number[],
  labels: readonly string[],
  { values, counts, count, sum }: Observations,
): string[] {
  const bucket = (bound: string, total: number): string =>
    `${name}_bucket${labelText([...labels, 'le'], [...values, bound])} ${total}`;
  let total = 0;
  return [
    ...bounds.map((bound, index) => bucket(String(bound), (total += counts[index] ?? 0))),
    bucket('+Inf', count),
    `${name}_sum${labelText(labels, values)} ${sum}`,
    `${name}_count${labelText(labels, values)} ${count}`,
  ];
}

function labelText(names: readonly string[], values: LabelValues): string {
  if (names.length === 0) return '';
  return `{${names.map((name, index) => `${name}="${escapeLabel(values[index] ?? '')}"`).join(',')}}`;
}

function escapeLabel(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

function escapeHelp(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}
