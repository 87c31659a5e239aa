import assert from 'node:assert/strict';
import { readPage } from '../metrics/page';
import { eventually } from '../setup/eventually';
import { documentedMetrics, missingMetrics } from './documented-metrics';
import type { Findings } from './findings';
import type { Stage } from './stage';

// Gauges are read from MongoDB at most every 15 s.
const GAUGES_MS = 40_000;

/** What was to be counted is counted. */
export async function checkMetrics({ api, worker }: Stage, findings: Findings): Promise<void> {
  for (const { name, metricsUrl } of [api, worker])
    await findings.that(`/metrics of the ${name} has what metrics/README.md names`, () => {
      const documented = documentedMetrics(name);
      return eventually(async () => {
        const samples = readPage(await (await fetch(`${metricsUrl}/metrics`)).text());
        assert.deepEqual(missingMetrics(documented, samples), [], `of ${documented.length}`);
        return `${documented.length} of ${documented.length}, ${samples.length} samples`;
      }, GAUGES_MS);
    });
}
