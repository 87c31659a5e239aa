import { Connection } from '@temporalio/client';
import { startParts } from '../../../tools/local/start-parts';
import { temporaryFolder } from '../../setup/temporary-folder';
import { nightlyTest } from '../../setup/cases';

const dir = temporaryFolder('parts');

const start = (given: { mongoUri?: string; temporalAddress?: string }) =>
  startParts({ dir, namespace: 'here', ports: 'any', log: () => undefined, ...given });

test('Temporal comes up with its namespace and search attributes, and again with both after kill -9', async () => {
  const parts = await start({ mongoUri: process.env.MONGODB_URI! });
  await expect(searchAttributesAt(parts.temporalAddress)).resolves.toContain('GdxChannel');
  await parts.temporal.kill();
  await parts.temporal.start();
  await expect(searchAttributesAt(parts.temporalAddress)).resolves.toContain('GdxRecords');
  expect((await fetch(parts.temporalUiUrl!)).status).toBe(200);
  await parts.stop();
  expect(parts.temporal.pid).toBeUndefined();
});

test('parts given by address are used, not started, and not ours to kill', async () => {
  const given = { mongoUri: process.env.MONGODB_URI!, temporalAddress: process.env.TEMPORAL_ADDRESS! };
  const parts = await start(given);
  expect(parts).toMatchObject({ mongodbUri: given.mongoUri, temporalAddress: given.temporalAddress });
  expect([parts.mongo.how, parts.temporal.how]).toEqual(['given', 'given']);
  await expect(parts.mongo.kill()).rejects.toThrow('not ours to kill');
  await parts.stop();
});

nightlyTest('an address where nothing answers is named', async () => {
  const mongoUri = 'mongodb://127.0.0.1:1/gdx';
  const starting = start({ mongoUri, temporalAddress: process.env.TEMPORAL_ADDRESS! });
  await expect(starting).rejects.toThrow('nothing answers at MONGODB_URI');
});

async function searchAttributesAt(address: string): Promise<string[]> {
  const connection = await Connection.connect({ address });
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace: 'here' });
  await connection.close();
  return Object.keys(customAttributes);
}
