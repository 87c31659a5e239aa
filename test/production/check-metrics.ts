import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { checkout } from '../../tools/local/checkout';
import { readPage, type Sample } from '../telemetry/page';
import { eventually } from '../setup/eventually';
import type { Findings } from './findings';
import type { ProductionStage } from './stage';

// Gauges are read from MongoDB at most every 15 s.
const GAUGES_MS = 40_000;

/** Every documented metric is exported. */
export async function checkMetrics({ api, worker }: ProductionStage, findings: Findings): Promise<void> {
  for (const { name, metricsUrl } of [api, worker])
    await findings.that(`/metrics of the ${name} has what telemetry/README.md names`, () => {
      const documented = documentedMetrics(name);
      return eventually(async () => {
        const samples = readPage(await (await fetch(`${metricsUrl}/metrics`)).text());
        assert.deepEqual(missingMetrics(documented, samples), [], `of ${documented.length}`);
        return `${documented.length} of ${documented.length}, ${samples.length} samples`;
      }, GAUGES_MS);
    });
}

/** The metrics that telemetry/README.md promises for a process; `temporal_*` matches any with that prefix. */
function documentedMetrics(name: 'api' | 'worker'): string[] {
  const page = readFileSync(path.join(checkout, 'telemetry', 'README.md'), 'utf8');
  const rows = [...page.matchAll(/^\| (worker|API|both) \| (.*?) \|/gm)];
  return rows.flatMap(([, from = '', named = '']) =>
    from === 'both' || from.toLowerCase() === name
      ? [...named.matchAll(/`([a-z_]+\*?)`/g)].map(([, metric]) => metric as string)
      : [],
  );
}

/** Documented metrics without a sample. */
function missingMetrics(documented: string[], samples: Sample[]): string[] {
  const names = [...new Set(samples.map((sample) => sample.name))];
  const has = (metric: string) =>
    metric.endsWith('*')
      ? names.some((one) => one.startsWith(metric.slice(0, -1)))
      : names.some((one) => one === metric || one === `${metric}_count`);
  return documented.filter((metric) => !has(metric));
}
