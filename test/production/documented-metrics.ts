import { readFileSync } from 'node:fs';
import path from 'node:path';
import { checkout } from '../../deploy/local/checkout';
import type { Sample } from '../metrics/page';

/** The metrics that metrics/README.md promises of a process; `temporal_*` stands for any of that beginning. */
export function documentedMetrics(name: 'api' | 'worker'): string[] {
  const page = readFileSync(path.join(checkout, 'metrics', 'README.md'), 'utf8');
  const rows = [...page.matchAll(/^\| (worker|API|both) \| (.*?) \|/gm)];
  return rows.flatMap(([, from = '', named = '']) =>
    from === 'both' || from.toLowerCase() === name
      ? [...named.matchAll(/`([a-z_]+\*?)`/g)].map(([, metric]) => metric as string)
      : [],
  );
}

/** Those without a sample: described is not yet counted. */
export function missingMetrics(documented: string[], samples: Sample[]): string[] {
  const names = [...new Set(samples.map((sample) => sample.name))];
  const has = (metric: string) =>
    metric.endsWith('*')
      ? names.some((one) => one.startsWith(metric.slice(0, -1)))
      : names.some((one) => one === metric || one === `${metric}_count`);
  return documented.filter((metric) => !has(metric));
}
