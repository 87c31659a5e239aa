import { request } from 'undici';
import { waitUntil } from '../deploy/local/wait-until';
import type { EntityType } from '../domain/entity-types';
import { PATIENCE_MS, SLUG } from './stage';

/** What the API answers to a reset, and to its dry run. */
export interface ResetAnswer {
  timestamp: string;
  records: number;
  pages: number;
}

/** What the customer may ask of the service, with the key of its channel (contract 4). */
export class ChannelKey {
  constructor(
    private readonly apiUrl: string,
    readonly key: string,
    private readonly slug = SLUG,
  ) {}

  async reset(type: EntityType, timestamp: string, dryRun = false): Promise<ResetAnswer> {
    const query = dryRun ? '?dry_run=true' : '';
    return (await this.ask('POST', `/markers/${type}/reset${query}`, { timestamp })) as ResetAnswer;
  }

  /** Waits until the markers say that nothing is pending: every page so far was confirmed, and counted as such. */
  async untilConfirmed(): Promise<void> {
    await waitUntil(async () => {
      const { data } = (await this.ask('GET', '/markers')) as { data: { pending_records: number }[] };
      const pending = data.reduce((sum, { pending_records }) => sum + pending_records, 0);
      if (data.length === 0 || pending > 0) throw new Error(`${pending} records are still pending`);
    }, PATIENCE_MS);
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
