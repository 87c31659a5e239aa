import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { LRParser } from '@lezer/lr';
import { parse } from 'yaml';
import { derived } from '../../tools/observability/make-derived';
import { registry } from '../../telemetry/instruments';
import { checkout } from '../../tools/local/checkout';
import { OF_THE_SDK } from '../telemetry/page';

interface Recorded {
  record: string;
  expr: string;
}

interface Rule {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: { summary: string; description: string; runbook: string };
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
const all = (parse(read('alerts.yml')) as { groups: { rules: (Rule | Recorded)[] }[] }).groups.flatMap(
  (group) => group.rules,
);
const rules = all.filter((rule) => 'alert' in rule);
const { panels } = JSON.parse(read('grafana/dashboards/gdx.json')) as { panels: Panel[] };
const records = all.filter((rule) => 'record' in rule);
const queries = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
const expressions = [...all.map(({ expr }) => expr), ...queries];

test.each(Object.entries(derived()))('%s is as make-derived.ts makes it', (file, made) => {
  expect(read(file)).toBe(made); // else: npx tsx tools/observability/make-derived.ts
});

test('every metric in a rule or a panel is one that the code has, with labels that it has', async () => {
  const ours = await registry.getMetricsAsJSON();
  const known = new Set([
    ...ours.map(({ name }) => name),
    ...OF_THE_SDK,
    ...records.map(({ record }) => record),
  ]);
  for (const expr of expressions) {
    for (const [name] of expr.matchAll(/\b(gdx|temporal|http)[_:][\w:]+/g))
      expect([expr, known.has(familyOf(name))]).toEqual([expr, true]);
    for (const [, name = '', selectors = ''] of expr.matchAll(/\b((?:gdx|http)_\w+)\{([^}]*)\}/g)) {
      const { labelNames } = registry.getSingleMetric(familyOf(name)) as unknown as { labelNames: string[] };
      for (const [, label] of selectors.matchAll(/(\w+)\s*=/g))
        expect([name, [...labelNames, 'job']]).toEqual([name, expect.arrayContaining([label])]);
    }
  }
});

/** A histogram has its samples under names of their own. */
const familyOf = (name: string) =>
  name.startsWith('gdx:') ? name : name.replace(/(?<=_seconds|_pushes)_(bucket|count|sum)$/, '');

test('the guide to the metrics has each of them, and no other', async () => {
  const guide = readFileSync(path.join(checkout, 'telemetry', 'README.md'), 'utf8');
  const named = new Set([...guide.matchAll(/`((?:gdx|http)_\w+)`/g)].map(([, name]) => name));
  expect(named).toEqual(new Set((await registry.getMetricsAsJSON()).map(({ name }) => name)));
});

test('metrics are named as Prometheus asks: base units, and _total behind counters alone', async () => {
  for (const { name, type } of await registry.getMetricsAsJSON()) {
    expect([name, name.endsWith('_total')]).toEqual([name, String(type) === 'counter']);
    expect(name).not.toMatch(/_(ms|milliseconds|minutes|kb|mib)\b/);
  }
});

test('every metric of ours is on the dashboard', async () => {
  const shown = [...queries, ...records.map(({ expr }) => expr)].join('\n');
  for (const { name } of await registry.getMetricsAsJSON()) expect(shown).toMatch(new RegExp(`\\b${name}`));
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
    expect(annotations.runbook).toBe(`docs/operator.md#${alert.toLowerCase()}`);
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
