import { ENTITY_TYPES } from '../../domain/records/entity-types';
import { freePort } from '../../tools/local/free-port';
import { eventually } from '../setup/eventually';
import { startContainer } from './containers';
import { developmentSettings } from './image-settings';

test('the demo of docker-compose: an ERP pushes, the customer confirms every type', async () => {
  const settings = await developmentSettings();
  const worker = { ...settings, GDX_METRICS_PORT: String(await freePort()) };
  await startContainer({ command: ['api'], settings }).heard('"msg":"ready"');
  await startContainer({ command: ['worker'], settings: worker }).heard('"msg":"worker ready"');
  const demo = {
    ...settings,
    GDX_DEMO_API_URL: settings.GDX_PUBLIC_URL,
    GDX_DEMO_CUSTOMER_URL: `http://127.0.0.1:${await freePort()}`,
  };
  const customer = startContainer({
    command: [],
    settings: demo,
    image: process.env.GDX_TEST_DEMO_IMAGE,
  });
  for (const type of ENTITY_TYPES) await customer.heard(`200 ${type} `);
  // The names that deploy/observability relies on.
  await eventually(async () => {
    const metrics = await (await fetch(`http://127.0.0.1:${worker.GDX_METRICS_PORT}/metrics`)).text();
    for (const latency of ['activity', 'workflow_task'])
      expect(metrics).toMatch(
        new RegExp(`^temporal_${latency}_schedule_to_start_latency_seconds_bucket{.*le="10"`, 'm'),
      );
    expect(metrics).toMatch(
      /^gdx_deliveries_total{channel="acme",entity_type="tickets",status="delivered"} 1$/m,
    );
  });
});
