import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { request } from 'undici';
import type { EntityType } from '../../domain/records/entity-types';
import { recordPush } from '../judge/record-history';
import { DEMO_COMPANY } from './demo-stage';
import { perType } from './per-type';

export type ErpRecord = { id: string } & object;
export type PushedType = EntityType | 'elevators';
/** A record with its type. Lists of these are pushed in order. */
export type Item = [type: PushedType, record: ErpRecord];

const MAX_RECORDS = 1_000;

/** The ERP: pushes over HTTP and remembers what was acknowledged. */
export class DemoErp {
  /** Each record as last acknowledged. */
  readonly latest = {
    elevators: new Map<string, ErpRecord>(),
    ...perType(() => new Map<string, ErpRecord>()),
  };
  /** The number of acknowledged records that were new or changed. */
  readonly changes = { elevators: 0, ...perType(() => 0) };

  constructor(
    private readonly apiUrl: string,
    readonly token: string,
  ) {}

  /** Pushes the items in requests of up to 1,000 records. @returns the number of requests */
  async push(items: Item[], afterEach: (records: number, ms: number) => void): Promise<number> {
    let requests = 0;
    for (let start = 0; start < items.length; start += MAX_RECORDS) {
      const batch = items.slice(start, start + MAX_RECORDS);
      const began = Date.now();
      await this.send(batch);
      requests += 1;
      afterEach(batch.length, Date.now() - began);
    }
    return requests;
  }

  private async send(batch: Item[]): Promise<void> {
    const requestId = randomUUID();
    const sent = JSON.stringify({ data: commandsOf(batch) });
    const began = Date.now();
    const { statusCode, body } = await request(`${this.apiUrl}/api/v1/push`, {
      method: 'POST',
      headers: {
        authorization: this.token,
        'content-type': 'application/json',
        'x-request-id': requestId,
      },
      body: sent,
    });
    const answer = await body.text();
    recordPush(DEMO_COMPANY.id, requestId, sent, began, { status: statusCode, answer });
    if (statusCode !== 204) throw new Error(`the push was answered ${statusCode}: ${answer}`);
    for (const [type, record] of batch) this.remember(type, record);
  }

  private remember(type: PushedType, record: ErpRecord): void {
    if (isDeepStrictEqual(this.latest[type].get(record.id), record)) return;
    this.latest[type].set(record.id, record);
    this.changes[type] += 1;
  }
}

function commandsOf(batch: Item[]): object[] {
  const types = [...new Set(batch.map(([type]) => type))];
  return types.map((type) => {
    const records = batch.filter((item) => item[0] === type).map(([, record]) => record);
    return { [`update-${type}`]: { [type]: records } };
  });
}
