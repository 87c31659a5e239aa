import type { Client } from '@temporalio/client';
import { randomUUID } from 'node:crypto';
import { lazyClient } from '../../temporal/connect-temporal';
import { createInspector } from '../../temporal/inspector';
import { ensureTemporal } from '../../temporal/ensure-temporal';
import { RECONCILE_ID } from '../../workflows/messages';
import { first, scaledTest } from '../setup/cases';
import { eventually } from '../setup/eventually';

const DAY_S = 86_400;

let client: Client;
let namespace: string;

beforeEach(() => {
  namespace = `ensured-${randomUUID().slice(0, 8)}`;
  client = lazyClient({ env: process.env, address: process.env.TEMPORAL_ADDRESS!, namespace });
});
afterEach(() => client.connection.close());

const ensure = () => ensureTemporal(client, { namespace, taskQueue: 'nobody', reconcileEveryMs: 3_600_000 });
const inspector = () => createInspector(client, { namespace, taskQueue: 'nobody' });

/** The namespace exists already, as on the local server. */
async function makeNamespace(days: number): Promise<void> {
  const kept = { seconds: (days * DAY_S) as never };
  await client.workflowService.registerNamespace({ namespace, workflowExecutionRetentionPeriod: kept });
  await eventually(() => client.workflowService.describeNamespace({ namespace }));
}

test('everything is made where nothing is, and made once', async () => {
  expect(await ensure()).toEqual([]);
  expect(await inspector().namespace()).toEqual({ retentionDays: 90 });
  await eventually(async () => expect(await inspector().missingSearchAttributes()).toEqual([]));
  expect(await inspector().schedule()).toMatchObject({ every: 3_600_000 });
  expect(await eventually(ensure)).toEqual([]);
});

test('a namespace that was there already keeps its closed workflows 90 days from then on', async () => {
  await makeNamespace(1);
  expect(await eventually(ensure)).toEqual([]);
  expect(await inspector().namespace()).toEqual({ retentionDays: 90 });
});

test('one that keeps them longer, on an operator’s word, is left alone', async () => {
  await makeNamespace(365);
  await eventually(ensure);
  expect(await inspector().namespace()).toEqual({ retentionDays: 365 });
});

/** A server's permission error. */
const refused = (code: number) => () =>
  Promise.reject(Object.assign(new Error('refused'), { code, details: 'refused', metadata: {} }));
const [PERMISSION_DENIED, UNIMPLEMENTED] = [7, 12];

/** As on Temporal Cloud, where namespaces and search attributes are made elsewhere. */
function mayNot(code: number): void {
  const { workflowService, connection } = client;
  const { operatorService } = connection as unknown as { operatorService: object };
  Object.assign(workflowService, { registerNamespace: refused(code), updateNamespace: refused(code) });
  Object.assign(operatorService, {
    listSearchAttributes: refused(code),
    addSearchAttributes: refused(code),
  });
}

scaledTest.each(first(1, [PERMISSION_DENIED, UNIMPLEMENTED]))(
  'where it may not (%d), it says what is missing and the command, and makes the rest',
  async (code) => {
    await makeNamespace(30);
    mayNot(code);
    const [retention, attributes, ...more] = await eventually(ensure);
    expect([retention, attributes]).toEqual([
      {
        missing: 'closed workflows are kept 30 days, not 90',
        command: `temporal operator namespace update --namespace ${namespace} --retention 90d`,
      },
      {
        missing: expect.stringMatching(/^search attributes GdxChannel, .*, GdxRecords: no channel starts/),
        command: `temporal operator search-attribute create --namespace ${namespace} --name GdxChannel --type Keyword --name GdxEntityType --type Keyword --name GdxOutcome --type Keyword --name GdxTrigger --type Keyword --name GdxRecords --type Int`,
      },
    ]);
    expect(more).toEqual([]);
    expect(await client.schedule.getHandle(RECONCILE_ID).describe()).toMatchObject({
      state: { paused: false },
    });
  },
);

test('where it may not and somebody has made all of it, nothing is missing', async () => {
  await makeNamespace(90);
  await eventually(ensure);
  await eventually(async () => expect(await inspector().missingSearchAttributes()).toEqual([]));
  mayNot(PERMISSION_DENIED);
  expect(await eventually(ensure)).toEqual([]);
});

test('without a namespace nothing works: the command is in the error', async () => {
  mayNot(PERMISSION_DENIED);
  await expect(ensure()).rejects.toThrow(
    `temporal operator namespace create --namespace ${namespace} --retention 90d`,
  );
});
