import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { appendFileSync, rmSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { environment } from '../../config';
import { checkout } from '../local/checkout';

const JUDGE = path.join(checkout, 'tools', 'judge', 'judge.py');

/** From now on this process and the children that it starts record what they see (README.md), in a file of this folder. */
export function beginHistory(folder = tmpdir()): void {
  environment['GDX_HISTORY'] = path.join(folder, `history-${randomUUID()}.ndjson`);
}

/** Writes one event, made only where a history is recorded. */
export function recordEvent(event: () => object): void {
  const file = environment['GDX_HISTORY'];
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(event())}\n`);
}

/** What a channel is that begins now. */
export function recordChannel(channel: string, scope: 'all' | 'subscribed', secret: string): void {
  const begin = Date.now();
  recordEvent(() => ({ event: 'channel', begin, channel, scope, companies: null }));
  recordEvent(() => ({ event: 'secret', begin, channel, secret }));
}

/** A push that began then and is answered now; null: without an answer. */
export function recordPush(
  company: string,
  id: string,
  body: string,
  begin: number,
  answered: { status: number; answer?: string | undefined } | null,
): void {
  const headers = { 'x-request-id': id };
  recordEvent(() => ({
    event: 'push',
    company,
    headers,
    body,
    begin,
    end: Date.now(),
    ...(answered ?? { status: null }),
  }));
}

/** A reset that began then and is answered now. */
export function recordReset(
  channel: string,
  entityType: string,
  body: string,
  begin: number,
  status: number,
): void {
  recordEvent(() => ({
    event: 'reset',
    channel,
    entity_type: entityType,
    body,
    begin,
    end: Date.now(),
    status,
  }));
}

/** What a farmer chose, who saw the page with the reference of it. */
export function recordChoice(
  choice: 'grant' | 'revoke',
  channel: string,
  account: string,
  begin: number,
): void {
  recordEvent(() => ({ event: choice, channel, account, begin, end: Date.now(), status: 200 }));
}

/** A page that began to arrive then and is answered now; null: without an answer. */
export function recordPage(
  headers: IncomingHttpHeaders,
  body: Buffer,
  begin: number,
  status: number | null,
): void {
  const channel = headers['x-channel-slug'];
  recordEvent(() => ({
    event: 'page',
    channel,
    headers,
    body: body.toString(),
    begin,
    end: Date.now(),
    status,
  }));
}

export interface Judgement {
  accepted: boolean;
  /** A line for each break, and the verdict. */
  lines: string[];
}

/**
 * Ends the history, in which everything acknowledged must have arrived by now. It stays where it is if it is rejected.
 * @returns undefined without python3
 */
export function judgeHistory(): Judgement | undefined {
  recordEvent(() => ({ event: 'end', begin: Date.now() }));
  const file = environment['GDX_HISTORY']!;
  delete environment['GDX_HISTORY'];
  const { status, stdout, stderr, error } = spawnSync('python3', [JUDGE, file], { encoding: 'utf8' });
  if (status === 0 || error) rmSync(file);
  if (error) return undefined;
  const said = status === 0 ? stdout.replace(`${file}: `, '') : `${stdout}${stderr}`; // accepted, it is gone
  return { accepted: status === 0, lines: said.trim().split('\n') };
}
