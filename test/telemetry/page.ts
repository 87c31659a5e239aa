/** One sample of a page in the text format of Prometheus. */
export interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

/** Reads a page, line by line; throws at what is not of the format. */
export function readPage(page: string): Sample[] {
  return page.split('\n').flatMap((line) => {
    if (line === '' || line.startsWith('#')) return [];
    const parts = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/.exec(line);
    if (!parts) throw new Error(`not a sample: ${line}`);
    const labels = [...(parts[2] ?? '').matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)];
    const value = Number(parts[3]!.replace('Inf', 'Infinity'));
    return { name: parts[1]!, labels: Object.fromEntries(labels.map(([, key, text]) => [key, text])), value };
  });
}

/** The value of a sample, or undefined. */
export function valueOf(samples: Sample[], name: string, labels: Record<string, string> = {}) {
  const wanted = Object.entries(labels);
  return samples.find((one) => one.name === name && wanted.every(([key, text]) => one.labels[key] === text))
    ?.value;
}

/** The names that a page describes, whether they have samples or not. */
export const namesOf = (page: string) => [...page.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name!);

/** Some of ours. */
export const OWN = ['gdx_deliveries_total', 'gdx_freshness_seconds', 'http_server_request_duration_seconds'];

/** What rules and the dashboard take of the Temporal SDK's, which a worker shows from its first delivery on. */
export const OF_THE_SDK = [
  'temporal_num_pollers',
  'temporal_worker_task_slots_available',
  'temporal_worker_task_slots_used',
  'temporal_activity_schedule_to_start_latency_seconds',
  'temporal_workflow_task_schedule_to_start_latency_seconds',
  'temporal_request_failure_total',
];
