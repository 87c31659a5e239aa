import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { LRParser } from '@lezer/lr';
import { parse } from 'yaml';
import { registry } from '../../metrics/instruments';
import { checkout } from '../../tools/local/checkout';

interface Rule {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: { summary: string; description: string; runbook_url: string };
}

interface Panel {
  title: string;
  type: string;
  targets?: { expr: string }[];
}

// the types are for ES modules only
const { parser } = jest.requireActual<{ parser: LRParser }>('@prometheus-io/lezer-promql');
const FOLDER = path.join(checkout, 'deploy', 'observability');
const read = (file: string) => readFileSync(path.join(FOLDER, file), 'utf8');
const rules = (parse(read('alerts.yml')) as { groups: { rules: Rule[] }[] }).groups.flatMap(
  (group) => group.rules,
);
const { panels } = JSON.parse(read('grafana/dashboards/gdx.json')) as { panels: Panel[] };
const queries = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
const expressions = [...rules.map(({ expr }) => expr), ...queries];

// What the Temporal SDK shows; its histograms count milliseconds.
const SDK = [
  'temporal_num_pollers',
  'temporal_worker_task_slots_available',
  'temporal_activity_schedule_to_start_latency',
  'temporal_workflow_task_schedule_to_start_latency',
];

test('every metric in a rule or a panel is one that the code has, with labels that it has', async () => {
  const ours = await registry.getMetricsAsJSON();
  const known = new Set([...ours.map(({ name }) => name), ...SDK]);
  for (const expr of expressions) {
    for (const [name] of expr.matchAll(/\b(gdx|temporal)_\w+/g))
      expect([expr, known.has(name.replace(/_bucket$/, ''))]).toEqual([expr, true]);
    for (const [, name = '', selectors = ''] of expr.matchAll(/\b(gdx_\w+?)(?:_bucket)?\{([^}]*)\}/g)) {
      const { labelNames } = registry.getSingleMetric(name) as unknown as { labelNames: string[] };
      for (const [, label] of selectors.matchAll(/(\w+)\s*=/g))
        expect([name, labelNames]).toEqual([name, expect.arrayContaining([label])]);
    }
  }
});

test('every metric of ours is on the dashboard', async () => {
  for (const { name } of await registry.getMetricsAsJSON())
    expect(queries.join('\n')).toMatch(new RegExp(`\\b${name}`));
});

test('every alert says what is wrong, how bad it is, and has its entry in the runbook', () => {
  const headings = readFileSync(path.join(checkout, 'docs', 'operator.md'), 'utf8').matchAll(/^#+ (.*)$/gm);
  const anchors = new Set(
    [...headings].map(([, title = '']) =>
      title
        .toLowerCase()
        .replace(/[^\w\- ]/g, '')
        .replaceAll(' ', '-'),
    ),
  );
  for (const { alert, labels, annotations } of rules) {
    expect(annotations).toMatchObject({ summary: expect.any(String), description: expect.any(String) });
    expect(annotations.runbook_url).toBe(`docs/operator.md#${alert.toLowerCase()}`);
    expect([alert, anchors.has(alert.toLowerCase())]).toEqual([alert, true]);
    expect(['page', 'ticket']).toContain(labels.severity);
  }
});

test('every alert has a test that fires it', () => {
  const { tests } = parse(read('alerts.test.yml')) as {
    tests: { alert_rule_test: { alertname: string; exp_alerts: object[] }[] }[];
  };
  const fired = tests.flatMap((each) => each.alert_rule_test).filter((each) => each.exp_alerts.length > 0);
  expect(new Set(fired.map(({ alertname }) => alertname))).toEqual(new Set(rules.map(({ alert }) => alert)));
});

// `npm run proof -- tools` has promtool play alerts.test.yml.
test('Prometheus can parse every expression', () => {
  const strict = parser.configure({ strict: true });
  for (const expr of expressions.map((each) => each.replace(/\$__\w+/g, '5m')))
    expect([expr, strict.parse(expr).length]).toEqual([expr, expr.length]);
  expect(() => strict.parse('sum(rate(x[5m])')).toThrow('No parse');
});

test('panels have titles of their own and do not overlap', () => {
  const titles = panels.map(({ title }) => title);
  expect(new Set(titles).size).toBe(titles.length);
  const cells = (
    JSON.parse(read('grafana/dashboards/gdx.json')) as {
      panels: { gridPos: Record<'x' | 'y' | 'w' | 'h', number> }[];
    }
  ).panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)},${y + Math.floor(cell / w)}`),
  );
  expect(new Set(cells).size).toBe(cells.length);
});
