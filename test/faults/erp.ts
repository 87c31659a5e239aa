import { setTimeout } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { recordPush } from '../../tools/judge/record-history';
import { ENTITY_TYPES } from '../../domain/records/entity-types';

const OWN_IDS = 40;
const PAUSE_MS = 50;
/** From 2000 on, and none of them in the future: such a word is refused. */
const DAYS = 9_000;
// A killed API holds its counters until MongoDB expires the transaction, 60 s by default (docs/architecture.md#commit-order, rule 1).
const TIMEOUT_MS = 300_000;

/** An ERP that pushes its own records, one push after another, and remembers those answered 204. */
export class Erp {
  /** `<entity type> <id>` -> the note of its last acknowledged version. */
  readonly acknowledged = new Map<string, string>();
  pushes = 0;
  /** Answered 503 with a Retry-After. */
  refused = 0;
  /** Attempts whose connection was refused or lost. */
  cutOff = 0;
  /** The longest time until a push was answered 204. */
  slowestMs = 0;
  /** Pushes that were never answered 204. */
  readonly unanswered: string[] = [];
  /** Answers other than 204 and 503, which an ERP does not retry. */
  readonly failed: string[] = [];
  private readonly agent = new Agent();

  constructor(
    private readonly name: string,
    private readonly token: string,
    private readonly urls: string[],
  ) {}

  async pushUntil(stop: AbortSignal): Promise<void> {
    while (!stop.aborted) {
      await this.push(`${this.name}-${this.pushes + 1}`);
      await setTimeout(PAUSE_MS);
    }
    await this.agent.close();
  }

  /**
   * As the guide tells an ERP: the same body under the same request id, here the note, at the other address, until it is
   * answered.
   */
  private async push(note: string): Promise<void> {
    const ids = new Map<string, string>();
    for (const type of ENTITY_TYPES) ids.set(type, `${this.name}-${this.pushes % OWN_IDS}`);
    ids.set('settlements', note); // nobody pushes it again: if it is lost, it is missed
    const day = 1 + (this.pushes % DAYS);
    const complete_through = new Date(Date.UTC(2000, 0, day)).toISOString().slice(0, 10);
    const data = [...ids].map(([type, id]) => ({
      [`update-${type}`]: { [type]: [{ id, note, name: 'Meyer Farms', account_id: id }], complete_through },
    }));
    const body = JSON.stringify({ data });
    const began = Date.now();
    for (let tries = this.pushes++; ; tries++) {
      if (await this.isAnswered(this.urls[tries % this.urls.length]!, note, body)) break;
      if (Date.now() - began > TIMEOUT_MS) return void this.unanswered.push(note);
      await setTimeout(PAUSE_MS);
    }
    this.slowestMs = Math.max(this.slowestMs, Date.now() - began);
    for (const [type, id] of ids) this.acknowledged.set(`${type} ${id}`, note);
  }

  private async isAnswered(url: string, requestId: string, body: string): Promise<boolean> {
    const headers = {
      authorization: this.token,
      'content-type': 'application/json',
      'x-request-id': requestId,
    };
    const began = Date.now();
    let answered = null;
    try {
      const options = { method: 'POST', headers, body, dispatcher: this.agent } as const;
      const answer = await request(`${url}/api/v1/push`, options);
      const said = await answer.body.text();
      answered = { status: answer.statusCode, answer: said };
      if (isToRetry(answer.statusCode, answer.headers['retry-after'])) this.refused++;
      else if (answer.statusCode !== 204) this.failed.push(`${answer.statusCode} ${said.slice(0, 200)}`);
      return answer.statusCode === 204;
    } catch {
      this.cutOff++;
      return false;
    } finally {
      recordPush('42', requestId, body, began, answered);
    }
  }
}

/** What the ERP's guide says to retry: 408 is what a process that stood still finds to be late. */
const isToRetry = (status: number, retryAfter: unknown) =>
  status === 408 || (status === 503 && retryAfter !== undefined);
