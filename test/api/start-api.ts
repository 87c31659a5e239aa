import pino from 'pino';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Agent, request } from 'undici';
import { createApp } from '../../api/create-app';
import { consoleSender } from '../../api/farmer/sms/console';
import type { TextSender } from '../../api/farmer/sms/text-sender';
import type { FarmerSettings } from '../../api/farmer/visit';
import type { OpsSettings } from '../../api/ops/visit';
import { createHttpServer } from '../../api/http-server';
import { DEFAULT_LIMITS, type Limits } from '../../api/limits';
import type { Serving } from '../../api/serving';
import type { Bell } from '../../bell/bell';
import type { ChannelSettings } from '../../store/channels';
import { closeStore, connectStore, type Store } from '../../store/connect';
import { addIntegration } from '../../store/integrations';
import { settingsChanged } from '../../workflows/messages';
import { expectDeclared, watchAnswers } from '../openapi/declared';
import { addTestChannel } from '../setup/add-test-channel';
import { openStore, SECRET_KEY } from '../setup/open-store';

export interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests read what they expect
  json: any;
}

export interface Question {
  token?: string;
  headers?: Record<string, string>;
  /** Text and bytes go out as they are, anything else as JSON. */
  body?: unknown;
}

export type Api = Awaited<ReturnType<typeof startApi>>;

/** The API on a port of its own, with a database of its own in the real MongoDB unless it is given a store. */
export async function startApi(
  options: {
    store?: Store;
    bell?: Bell;
    limits?: Partial<Limits>;
    phase?: Serving['phase'];
    sender?: TextSender;
    farmer?: Partial<FarmerSettings>;
    ops?: Partial<OpsSettings>;
  } = {},
) {
  const store = options.store ?? (await openStore());
  const lines: Record<string, unknown>[] = [];
  const log = pino({ level: 'debug' }, { write: (line) => lines.push(JSON.parse(line)) });
  const bell = options.bell ?? hearingBell().bell;
  const serving: Serving = { phase: options.phase ?? 'serving' };
  const farmer: FarmerSettings = {
    serviceName: 'Grain Data Exchange',
    publicUrl: 'http://farmers.example',
    production: false,
    trustedProxies: 0,
    ...options.farmer,
  };
  const ops: OpsSettings = { ...farmer, temporalUiUrl: '', temporalNamespace: 'default', ...options.ops };
  const sender = options.sender ?? consoleSender(log);
  const app = createApp(
    { store, bell, log, serving, sender, farmer, ops },
    { ...DEFAULT_LIMITS, ...options.limits },
  );
  const server = createHttpServer(app.callback());
  const undeclared = watchAnswers(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const agent = new Agent();

  async function ask(method: string, path: string, question: Question = {}): Promise<Answer> {
    const { body: given, token } = question;
    const asItIs = given === undefined || typeof given === 'string' || given instanceof Uint8Array;
    const answer = await request(`http://127.0.0.1:${port}${path}`, {
      method: method as 'GET',
      dispatcher: agent,
      headers: {
        ...(token ? { authorization: token } : {}),
        ...(given === undefined ? {} : { 'content-type': 'application/json' }),
        ...question.headers,
      },
      body: asItIs ? ((given as string | undefined) ?? null) : JSON.stringify(given),
    });
    const text = await answer.body.text();
    const json = text.startsWith('{') ? JSON.parse(text) : undefined;
    const contentType = answer.headers['content-type'] as string | undefined;
    expectDeclared(method, path, { status: answer.statusCode, contentType, json });
    return { status: answer.statusCode, headers: answer.headers, text, json };
  }

  return {
    store,
    serving,
    server,
    port,
    lines,
    ask,
    async stop() {
      await agent.destroy();
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
      if (!options.store) await closeStore(store);
      if (undeclared.length > 0) throw new Error(`not in the OpenAPI document: ${undeclared.join('; ')}`);
    },
  };
}

/** A store whose MongoDB is not there. */
export function storeAway(): Promise<Store> {
  return connectStore({ uri: 'mongodb://127.0.0.1:1/gdx', secretKey: SECRET_KEY, appName: 'gdx-test' });
}

/** A bell that is heard, and remembers. */
export function hearingBell(heard = true) {
  const rung: { slug: string; signal: string; args: unknown[] }[] = [];
  const bell: Bell = {
    ring: async (slug, signal, ...args) => {
      rung.push({ slug, signal: signal.name, args });
      return heard;
    },
    settingsChanged: (slug, reason) => bell.ring(slug, settingsChanged, { reason }),
    ensureRunning: async () => heard,
    runningChannels: async () => [],
    stop: async () => undefined,
    ping: async () => {
      if (!heard) throw new Error('away');
    },
    close: async () => undefined,
  };
  return { bell, rung };
}

export async function integrationToken(
  store: Store,
  company = { id: '42', name: 'Prairie Co-op' },
): Promise<string> {
  return (await addIntegration(store, { name: 'agris', company })).token;
}

export async function channelKey(
  store: Store,
  slug: string,
  settings: Partial<ChannelSettings> = {},
): Promise<string> {
  return (await addTestChannel(store, slug, 'https://acme.example', settings)).apiKey;
}

export function accounts(count: number, first = 1001) {
  return Array.from({ length: count }, (_, index) => ({
    id: String(first + index),
    name: `Meyer Farms ${first + index}`,
    phones: [{ phone: '7015550142' }],
  }));
}

export const pushOf = (records: unknown[]) => ({ data: [{ 'update-accounts': { accounts: records } }] });

/** The one form of every error (contract 1). */
export function expectError(answer: Answer, status: number, code: string): void {
  expect({ status: answer.status, code: answer.json?.code }).toEqual({ status, code });
  expect(answer.headers['content-type']).toBe('application/json');
  expect(answer.json.request_id).toBe(answer.headers['x-request-id']);
  expect(answer.json.message).toMatch(/\w/);
  const validation = code === 'VALIDATION_ERROR' ? ['validation_messages'] : [];
  expect(Object.keys(answer.json)).toEqual(['code', 'message', 'request_id', ...validation]);
}
