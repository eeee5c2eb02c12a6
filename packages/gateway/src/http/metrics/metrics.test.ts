import { expect, it } from 'vitest';
import { createMetrics } from './metrics.ts';

it('writes every kind of series, with escaped labels and cumulative buckets', async () => {
  const metrics = createMetrics();
  const calls = metrics.counter('calls_total', 'Calls.\nAll of them.', ['who']);
  calls.add(1, 'a "b"\\\n');
  calls.add(2, 'a "b"\\\n');
  metrics.counter('plain_total', 'Plain.').add(3);
  metrics.gauge('now', 'As of now.', () => 7);
  metrics.gauge('later', 'In a moment.', async () => 8);
  metrics.gauge('never', 'Not to be had.', () => Promise.reject(new Error('gone')));
  const seconds = metrics.histogram('seconds', 'Time.', [0.1, 1], ['who']);
  for (const value of [0.05, 0.1, 0.5, 30]) seconds.observe(value, 'x');
  expect((await metrics.render()).split('\n')).toEqual([
    '# HELP calls_total Calls.\\nAll of them.',
    '# TYPE calls_total counter',
    'calls_total{who="a \\"b\\"\\\\\\n"} 3',
    '# HELP plain_total Plain.',
    '# TYPE plain_total counter',
    'plain_total 3',
    '# HELP now As of now.',
    '# TYPE now gauge',
    'now 7',
    '# HELP later In a moment.',
    '# TYPE later gauge',
    'later 8',
    '# HELP never Not to be had.',
    '# TYPE never gauge',
    '# HELP seconds Time.',
    '# TYPE seconds histogram',
    'seconds_bucket{who="x",le="0.1"} 2',
    'seconds_bucket{who="x",le="1"} 3',
    'seconds_bucket{who="x",le="+Inf"} 4',
    'seconds_sum{who="x"} 30.65',
    'seconds_count{who="x"} 4',
    '',
  ]);
});
