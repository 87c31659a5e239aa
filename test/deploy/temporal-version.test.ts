import { Connection } from '@temporalio/client';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { checkout } from '../../tools/local/checkout';

test('the Temporal that docker-compose starts is the one that the tests run on', async () => {
  const connection = await Connection.connect({ address: process.env.TEMPORAL_ADDRESS! });
  const { serverVersion } = await connection.workflowService.getSystemInfo({});
  await connection.close();
  const compose = readFileSync(path.join(checkout, 'docker-compose.yml'), 'utf8');
  const images = [...compose.matchAll(/image: temporalio\/(?:server|admin-tools):([^\s@]+)/g)];
  expect(images.map(([, version]) => version)).toEqual(Array(3).fill(serverVersion));
});
