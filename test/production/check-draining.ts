import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { eventually } from '../setup/eventually';
import type { Findings } from './findings';
import { gdxAnswer } from './service';
import type { ProductionStage } from './stage';

const HALF_TAKES_MS = 500;
const PAGE_TAKES_MS = 2_000;

/** SIGTERM in the middle of a push, then in the middle of a page: both are finished first. */
export async function checkDraining(
  stage: ProductionStage,
  findings: Findings,
  token: string,
): Promise<void> {
  const { settings, customer, api, worker } = stage;
  await findings.that('SIGTERM in the middle of a push: 204, then the API ends with 0', async () => {
    const push = await halfOfPush(stage.port, token);
    push.finishIn(HALF_TAKES_MS);
    const [status, ms] = await Promise.all([push.status, api.drain()]);
    assert.equal(status, 204);
    return seconds(ms);
  });
  await findings.that('SIGTERM in the middle of a page: confirmed, then the worker ends with 0', async () => {
    const before = customer.at('/feed').length;
    customer.answerAfterMs = PAGE_TAKES_MS;
    await gdxAnswer(settings, 'channel', 'deliver', 'acme');
    await eventually(() => assert.equal(customer.at('/feed').length, before + 1));
    const ms = await worker.drain();
    assert.ok(ms > PAGE_TAKES_MS / 2, 'it did not wait for the answer');
    const { data } = await gdxAnswer<{ data: { pending_records: number }[] }>(
      settings,
      'marker',
      'show',
      'acme',
    );
    assert.deepEqual(new Set(data.map(({ pending_records }) => pending_records)), new Set([0]));
    assert.equal(customer.at('/feed').length, before + 1);
    return `${seconds(ms)}, nothing pending`;
  });
}

const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;

/** A push that the API has begun to answer (it said 100) and that has not come whole. */
async function halfOfPush(port: number, token: string) {
  const accounts = [{ id: 'last-minute', name: 'Last Minute Farms' }];
  const body = Buffer.from(JSON.stringify({ data: [{ 'update-accounts': { accounts } }] }));
  const headers = { authorization: token, 'content-type': 'application/json', expect: '100-continue' };
  const push = request({
    host: '127.0.0.1',
    port,
    path: '/api/v1/push',
    method: 'POST',
    headers: { ...headers, 'content-length': body.length },
  });
  push.flushHeaders();
  await once(push, 'continue');
  push.write(body.subarray(0, 10));
  const status = once(push, 'response').then(([response]) => {
    (response as IncomingMessage).resume();
    return (response as IncomingMessage).statusCode;
  });
  return { status, finishIn: (ms: number) => setTimeout(() => push.end(body.subarray(10)), ms) };
}
