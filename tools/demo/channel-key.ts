import { request } from 'undici';
import { recordReset } from '../judge/record-history';
import { waitUntil } from '../local/wait-until';
import type { Resent } from '../../domain/records/count';
import type { EntityType } from '../../domain/records/entity-types';
import { STEP_TIMEOUT_MS, CUSTOMER_SLUG } from './demo-stage';

/** The response to a reset and to its dry run. */
export type ResetAnswer = { timestamp: string } & Resent;

/** The customer's requests to the API, with the channel's key (docs/contract.md C15, C17). */
export class ChannelKey {
  constructor(
    private readonly apiUrl: string,
    readonly key: string,
    private readonly slug = CUSTOMER_SLUG,
  ) {}

  async reset(type: EntityType, timestamp: string, dryRun = false): Promise<ResetAnswer> {
    const query = dryRun ? '?dry_run=true' : '';
    const began = Date.now();
    const answer = await this.ask('POST', `/markers/${type}/reset${query}`, { timestamp });
    if (!dryRun) recordReset(this.slug, type, JSON.stringify({ timestamp }), began, 200);
    return answer as ResetAnswer;
  }

  /** Waits until the markers show no pending records: every page so far is confirmed. */
  async untilConfirmed(): Promise<void> {
    await waitUntil(async () => {
      const { data } = (await this.ask('GET', '/markers')) as { data: { pending_records: number }[] };
      const pending = data.reduce((sum, { pending_records }) => sum + pending_records, 0);
      if (data.length === 0 || pending > 0) throw new Error(`${pending} records are still pending`);
    }, STEP_TIMEOUT_MS);
  }

  private async ask(method: 'GET' | 'POST', path: string, question?: object): Promise<unknown> {
    const { statusCode, body } = await request(`${this.apiUrl}/api/v1/channels/${this.slug}${path}`, {
      method,
      headers: { authorization: this.key, 'content-type': 'application/json' },
      body: question ? JSON.stringify(question) : null,
    });
    const answer = await body.text();
    if (statusCode !== 200) throw new Error(`${method} ${path} was answered ${statusCode}: ${answer}`);
    return JSON.parse(answer);
  }
}
