import ipaddr from 'ipaddr.js';
import { isWeakKey } from './secret-key';

/** The settings that can be unsafe. */
export interface CheckedSettings {
  host: string;
  /** Of MongoDB; empty where another problem was reported. */
  mongodbUri: string;
  temporal: { address: string; apiKey: boolean; tls: string; certificate: boolean };
  /** Undefined where another problem was reported. */
  secretKey: Buffer | undefined;
  customerKey: Buffer | undefined;
  /** What keeps the network between the parts closed, in an operator's words; empty: nothing does. */
  closedNetwork: string;
  /** `NODE_TLS_REJECT_UNAUTHORIZED` */
  rejectUnauthorized: string;
  outboundAllow: string[];
  alertUrl: string;
  smsUrl: string;
  /** Of the API only. */
  farmers: { publicUrl: string; smsProvider: string } | undefined;
}

type Finding = [holds: boolean, what: string];

const DEVELOPMENT_MONGODB = /^mongodb:\/\/(?:127\.0\.0\.1|localhost)(?::27017)?(?:\/(?:gdx)?)?(?:\?.*)?$/;
const WELL_KNOWN_PASSWORDS =
  /^(|admin|changeme|default|demo|example|gdx|mongo(db)?|pass(word)?|root|secret|test|1234\d*)$/i;
const CLOSED = 'or name in GDX_CLOSED_NETWORK what keeps that network closed';

const isHttps = (url: string) => /^https:\/\//i.test(url);

/** Every setting that production must not start with, and what to set instead. */
export function unsafeSettings(settings: CheckedSettings): string[] {
  const { mongodbUri, secretKey, customerKey, outboundAllow, alertUrl, smsUrl, farmers } = settings;
  return said([
    [
      DEVELOPMENT_MONGODB.test(mongodbUri),
      'MONGODB_URI is that of development: name the replica set and the database',
    ],
    [
      hasWellKnownPassword(mongodbUri),
      'MONGODB_URI has a password that everybody tries first: use `openssl rand -hex 32`',
    ],
    [
      secretKey !== undefined && isWeakKey(secretKey),
      'GDX_SECRET_KEY can be guessed: use `openssl rand -base64 32`',
    ],
    [
      customerKey !== undefined && isWeakKey(customerKey),
      'GDX_CUSTOMER_SECRETS_KEY can be guessed: `gdx secrets keys` makes a pair',
    ],
    [
      outboundAllow.length > 0,
      'GDX_OUTBOUND_ALLOW must be empty in production: customers have public addresses',
    ],
    [alertUrl !== '' && !isHttps(alertUrl), 'GDX_ALERT_WEBHOOK_URL must begin with https:// in production'],
    [
      smsUrl !== '' && !isHttps(smsUrl),
      'GDX_SMS_WEBHOOK_URL must begin with https:// in production: codes go there',
    ],
    [
      farmers !== undefined && !isHttps(farmers.publicUrl),
      'GDX_PUBLIC_URL must begin with https:// in production: farmers and customers are sent there',
    ],
    [
      farmers?.smsProvider === 'console',
      'GDX_SMS_PROVIDER must be webhook or twilio in production: console shows codes to everybody',
    ],
    ...openConnections(settings),
  ]);
}

function openConnections({
  mongodbUri,
  temporal,
  closedNetwork,
  rejectUnauthorized,
}: CheckedSettings): Finding[] {
  const isOpen = closedNetwork === '';
  const isTlsOff = /^(?:false|0)$/i.test(temporal.tls);
  const hasTls = (temporal.apiKey || temporal.certificate || temporal.tls !== '') && !isTlsOff;
  return [
    [
      rejectUnauthorized === '0',
      'NODE_TLS_REJECT_UNAUTHORIZED must not be 0: anybody could be the other side',
    ],
    [
      /[?&](tlsInsecure|tlsAllowInvalid\w+|ssl(Validate|_cert_reqs))=(true|false|none)/i.test(mongodbUri),
      'MONGODB_URI must not switch off the check of certificates: name the authority in tlsCAFile',
    ],
    [
      isOpen && mongodbUri !== '' && !usesTls(mongodbUri) && !hostsOf(mongodbUri).every(isLoopback),
      `MONGODB_URI must have tls=true, ${CLOSED}`,
    ],
    [
      temporal.apiKey && isTlsOff,
      'TEMPORAL_TLS must not be off with TEMPORAL_API_KEY: the key would travel in the clear',
    ],
    [
      isOpen && !temporal.apiKey && !hasTls && !isLoopback(hostOf(temporal.address)),
      `TEMPORAL_TLS must be true, ${CLOSED}`,
    ],
  ];
}

/**
 * What is only for development and must not be reached from beyond this machine: codes on the screen, a public key,
 * customers' URLs in the clear.
 */
export function unsafeDevelopment({ host, mongodbUri, secretKey, closedNetwork }: CheckedSettings): string[] {
  if (closedNetwork !== '') return [];
  return said([
    [
      !isLoopback(host),
      `HOST must be an address of this machine such as 127.0.0.1: set NODE_ENV=production to be reached from elsewhere, ${CLOSED}`,
    ],
    [
      secretKey === undefined && !hostsOf(mongodbUri).every(isLoopback),
      `GDX_SECRET_KEY must be set for a MONGODB_URI beyond this machine: everybody knows the key of development`,
    ],
  ]);
}

const said = (findings: Finding[]) => findings.flatMap(([holds, what]) => (holds ? what : []));

function hasWellKnownPassword(uri: string): boolean {
  const [, user, password] = /^mongodb(?:\+srv)?:\/\/([^:@/]*):([^@/]*)@/.exec(uri) ?? [];
  if (user === undefined || password === undefined) return false;
  return WELL_KNOWN_PASSWORDS.test(decoded(password)) || password === user;
}

/** The driver reports an invalid `%` escape. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function usesTls(uri: string): boolean {
  const given = /[?&](?:tls|ssl)=(\w+)/i.exec(uri)?.[1]?.toLowerCase();
  return given === undefined ? uri.startsWith('mongodb+srv:') : given === 'true';
}

const hostsOf = (uri: string) =>
  (/^mongodb(?:\+srv)?:\/\/(?:[^@/]*@)?([^/?]*)/.exec(uri)?.[1] ?? '').split(',').map(hostOf);

const hostOf = (address: string) => address.replace(/:\d+$/, '').replace(/[[\]]/g, '');

function isLoopback(host: string): boolean {
  if (/^localhost$/i.test(host) || host.endsWith('.sock')) return true;
  return ipaddr.isValid(host) && ipaddr.process(host).range() === 'loopback';
}
