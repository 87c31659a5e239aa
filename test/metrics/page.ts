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

export const OWN = [
  'gdx_deliveries',
  'gdx_delivery_records',
  'gdx_delivery_duration_ms',
  'gdx_freshness_seconds',
  'gdx_pending_records',
  'gdx_pushes',
  'gdx_push_records',
  'gdx_sign_in_codes',
  'gdx_alerts_open',
];
