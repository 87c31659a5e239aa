import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { checkout } from '../local/checkout';

interface Shown {
  title: string;
  /** The text behind the sign beside the title. */
  says?: string;
  unit: string;
  /** By legend, the expression. */
  shows: Record<string, string>;
  /** Of a single number: from which value on it has which colour. */
  turns?: Record<string, number>;
  stacked?: true;
  /** Of a table: the title of its column of numbers. */
  counts?: string;
}

interface Section {
  section: string;
  lines: Shown[][];
}

const WIDTH = 24; // of Grafana's grid
const PROMETHEUS = { type: 'prometheus', uid: '${datasource}' };
const HEIGHTS = { stat: 4, timeseries: 8, table: 7 };

/** Makes Grafana's dashboard, one panel a line. */
function makeDashboard(rows: string): string {
  const panels: object[] = [];
  let y = 0;
  const add = (panel: object, gridPos: object) => panels.push({ id: panels.length + 1, ...panel, gridPos });
  const { sections, ...about } = parse(rows) as { sections: Section[] };
  for (const { section, lines } of sections) {
    add({ type: 'row', title: section, collapsed: false, panels: [] }, { h: 1, w: WIDTH, x: 0, y: y++ });
    for (const line of lines) {
      const w = WIDTH / line.length;
      const h = HEIGHTS[typeOf(line[0]!)];
      for (const [at, shown] of line.entries()) add(panelOf(shown), { h, w, x: at * w, y });
      y += h;
    }
  }
  const listed = panels.map((panel) => JSON.stringify(panel)).join(',\n');
  return `{"panels":[\n${listed}\n],\n${JSON.stringify(about).slice(1)}\n`;
}

const typeOf = ({ turns, counts }: Shown) => (turns ? 'stat' : counts ? 'table' : 'timeseries');

function panelOf(shown: Shown): object {
  const { title, says = '', unit, shows, turns = {}, stacked, counts } = shown;
  const steps = Object.entries(turns).map(([color, from], step) => ({ color, value: step ? from : null }));
  const panel = (defaults: object, options: object, ofTarget: object = {}) => ({
    type: typeOf(shown),
    title,
    description: says,
    datasource: PROMETHEUS,
    targets: Object.entries(shows).map(([legendFormat, expr], target) => {
      return { refId: 'ABC'[target], expr, legendFormat, ...ofTarget };
    }),
    fieldConfig: { defaults: { unit, ...defaults }, overrides: [] },
    options,
  });
  if (steps.length > 0)
    return panel(
      { thresholds: { mode: 'absolute', steps } },
      { colorMode: 'background', graphMode: 'none', reduceOptions: { calcs: ['lastNotNull'] } },
    );
  if (counts) {
    const options = { excludeByName: { Time: true }, renameByName: { Value: counts } };
    const transformations = [{ id: 'organize', options }];
    return { ...panel({}, {}, { instant: true, format: 'table' }), transformations };
  }
  const legend = { displayMode: 'list', placement: 'bottom' };
  const custom = { stacking: { mode: 'normal' }, fillOpacity: 30 };
  return panel(stacked ? { custom } : {}, { tooltip: { mode: 'multi' }, legend });
}

const RULE = `# Made from deploy/observability/alerts.yml by tools/observability/make-derived.ts.
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata: { name: gdx }
spec:
`;

/** The Prometheus operator's resource with the rules. */
const makeRule = (alerts: string) => RULE + alerts.replace(/^./gm, '  $&');

const FOLDER = path.join(checkout, 'deploy', 'observability');
const read = (file: string) => readFileSync(path.join(FOLDER, file), 'utf8');

/** The files that are made from others here, by their path from deploy/observability. */
export const derived = (): Record<string, string> => ({
  'grafana/dashboards/gdx.json': makeDashboard(read('dashboard.yml')),
  '../kubernetes/components/monitoring/prometheus-rule.yaml': makeRule(read('alerts.yml')),
});

// After a change of dashboard.yml or alerts.yml: npx tsx tools/observability/make-derived.ts
if (require.main === module)
  for (const [file, text] of Object.entries(derived())) writeFileSync(path.join(FOLDER, file), text);
