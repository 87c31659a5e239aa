import pino from 'pino';
import { Agent, request } from 'undici';
import type { OperatorsProvider } from '../../api/channel/operators-provider';
import { createApp, type Side } from '../../api/create-app';
import { consoleSender } from '../../api/farmer/sms/create-text-sender';
import type { TextSender } from '../../api/farmer/sms/text-sender';
import type { FarmerSettings } from '../../api/farmer/farmer-state';
import type { PageSettings } from '../../api/channel/signed-in-state';
import { readConfig } from '../../config';
import { createHttpServer } from '../../api/server/http-server';
import { DEFAULT_LIMITS, type Limits } from '../../api/limits/limits';
import type { Serving } from '../../api/http/route';
import type { ChannelClient } from '../../temporal/channel-client';
import type { ChannelSettings } from '../../store/channels/channels';
import type { Store } from '../../store/store';
import { addIntegration } from '../../store/callers/integrations';
import { expectDeclared, watchAnswers } from '../openapi/declared';
import { addTestChannel } from '../setup/add-test-channel';
import { closeAtEnd } from '../setup/close-at-end';
import { emptyStore } from '../setup/open-store';
import { connectStoreAt } from '../setup/open-store-at';
import { serveHere } from '../setup/serve-here';

export interface ApiAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests read what they expect
  json: any;
}

export interface Question {
  token?: string;
  headers?: Record<string, string>;
  /** Text and bytes are sent unchanged, anything else as JSON. */
  body?: unknown;
}

export type Api = Awaited<ReturnType<typeof startApi>>;

export interface ApiOptions {
  store?: Store;
  temporal?: ChannelClient;
  limits?: Partial<Limits>;
  side?: Side;
  phase?: Serving['phase'];
  sender?: TextSender;
  farmer?: Partial<FarmerSettings>;
  ops?: Partial<PageSettings>;
  provider?: OperatorsProvider | undefined;
}

let own: Api | undefined;

/**
 * The API on its own port. Without a store it has the one of the test file, emptied, and stops with the file or when the next one
 * begins.
 */
export async function startApi(options: ApiOptions = {}) {
  if (!options.store) await own?.stop();
  const store = options.store ?? (await emptyStore());
  const of = options.store ? 'test' : 'file';
  const lines: Record<string, unknown>[] = [];
  const log = pino({ level: 'debug' }, { write: (line) => lines.push(JSON.parse(line)) });
  const temporal = options.temporal ?? hearingSignals().temporal;
  const serving: Serving = { phase: options.phase ?? 'serving' };
  const farmer: FarmerSettings = {
    serviceName: 'Grain Data Exchange',
    publicUrl: 'http://farmers.example',
    securityContact: 'mailto:security@grain.example',
    outboundAddresses: [],
    production: false,
    trustedProxies: 0,
    codes: readConfig({}).codes,
    ...options.farmer,
  };
  const pages: PageSettings = {
    ...farmer,
    outboundAllow: [],
    outboundPorts: [443],
    temporalUiUrl: '',
    temporalNamespace: 'default',
    retentionDays: 400,
    ...options.ops,
  };
  const sender = options.sender ?? consoleSender(log);
  const limits: Limits = { ...DEFAULT_LIMITS, ...options.limits };
  const { provider } = options;
  const app = createApp(
    { store, temporal, log, serving, sender, farmer, pages, provider },
    limits,
    options.side,
  );
  const server = createHttpServer(app.callback(), {
    trustedProxies: farmer.trustedProxies,
    ofAddress: limits.connectionsOfAddress,
  });
  const undeclared = watchAnswers(server);
  const { port, stop: stopServing } = await serveHere(server, '127.0.0.1', of);
  const agent = new Agent();

  async function ask(method: string, path: string, question: Question = {}): Promise<ApiAnswer> {
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

  const api = {
    store,
    serving,
    server,
    port,
    lines,
    settings: farmer,
    ask,
    stop: closeAtEnd(async () => {
      await agent.destroy();
      await stopServing();
      if (undeclared.length > 0) throw new Error(`not in the OpenAPI document: ${undeclared.join('; ')}`);
    }, of),
  };
  if (!options.store) own = api;
  return api;
}

/** A store without a MongoDB. */
export const storeAway = (): Promise<Store> => connectStoreAt('mongodb://127.0.0.1:1/gdx');

/** A Temporal client that records its signals. */
export function hearingSignals(heard = true) {
  const signals: { slug: string; signal: string; args: unknown[] }[] = [];
  const signalled = async (slug: string, signal: string, arg: object) => {
    signals.push({ slug, signal, args: [arg] });
    return heard;
  };
  const temporal: ChannelClient = {
    markerReset: (slug, reset) => signalled(slug, 'markerReset', reset),
    subscriptionsChanged: (slug, change) => signalled(slug, 'subscriptionsChanged', change),
    deliverNow: (slug, asked) => signalled(slug, 'deliverNow', asked),
    pageAskedFor: (slug, asked) => signalled(slug, 'pageAskedFor', asked),
    settingsChanged: (slug, reason) => signalled(slug, 'settingsChanged', { reason }),
    ensureRunning: async () => heard,
    runningChannels: async () => [],
    stop: async () => undefined,
    testEndpoint: async () => undefined,
    lanes: async () => ({ known: null, why: 'Temporal is away: lanes not known' }),
    ping: async () => {
      if (!heard) throw new Error('away');
    },
    close: async () => undefined,
  };
  return { temporal, signals };
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

/** The shape of every error (docs/contract.md A2). */
export function expectError(answer: ApiAnswer, status: number, code: string): void {
  expect({ status: answer.status, code: answer.json?.code }).toEqual({ status, code });
  expect(answer.headers['content-type']).toBe('application/json');
  expect(answer.json.request_id).toBe(answer.headers['x-request-id']);
  expect(answer.json.message).toMatch(/\w/);
  const validation = code === 'VALIDATION_ERROR' ? ['validation_messages'] : [];
  expect(Object.keys(answer.json)).toEqual(['code', 'message', 'request_id', ...validation]);
}
