import ipaddr from 'ipaddr.js';
import { isWeakKey, readSecretKey } from './secret-key';
import type { Given, Unsafe } from './setting';

// The dangers of connection and key settings, and what to do.

const DEVELOPMENT_MONGODB = /^mongodb:\/\/(?:127\.0\.0\.1|localhost)(?::27017)?(?:\/(?:gdx)?)?(?:\?.*)?$/;
const WELL_KNOWN_PASSWORDS =
  /^(|admin|changeme|default|demo|example|gdx|mongo(db)?|pass(word)?|root|secret|test|1234\d*)$/i;
const CLOSED = 'or name in GDX_CLOSED_NETWORK what keeps that network closed';

export const isHttps = (url: string) => /^https:\/\//i.test(url);

export const isGuessable = (text: string): boolean => {
  const key = readSecretKey(text);
  return key !== undefined && isWeakKey(key);
};

export const unsafeMongodb = (uri: string, { texts }: Given): Unsafe[] => [
  DEVELOPMENT_MONGODB.test(uri) &&
    'MONGODB_URI is that of development: name the replica set and the database',
  hasWellKnownPassword(uri) &&
    'MONGODB_URI has a password that everybody tries first: use `openssl rand -hex 32`',
  /[?&](tlsInsecure|tlsAllowInvalid\w+|ssl(Validate|_cert_reqs))=(true|false|none)/i.test(uri) &&
    'MONGODB_URI must not switch off the check of certificates: name the authority in tlsCAFile',
  !texts.GDX_CLOSED_NETWORK &&
    uri !== '' &&
    !usesTls(uri) &&
    !hostsOf(uri).every(isLoopback) &&
    `MONGODB_URI must have tls=true, ${CLOSED}`,
];

/** Judges the connection by the environment that Temporal's client reads itself. */
export function unsafeTemporal(address: string, { texts }: Given): Unsafe[] {
  const { TEMPORAL_API_KEY, TEMPORAL_TLS = '' } = texts;
  const certificate = texts.TEMPORAL_TLS_SERVER_CA_CERT_PATH ?? texts.TEMPORAL_TLS_CLIENT_CERT_PATH;
  const isTlsOff = /^(?:false|0)$/i.test(TEMPORAL_TLS);
  const hasTls = Boolean(certificate || TEMPORAL_TLS) && !isTlsOff;
  return [
    TEMPORAL_API_KEY &&
      isTlsOff &&
      'TEMPORAL_TLS must not be off with TEMPORAL_API_KEY: the key would travel in the clear',
    !texts.GDX_CLOSED_NETWORK &&
      address !== '' &&
      !TEMPORAL_API_KEY &&
      !hasTls &&
      !isLoopback(hostOf(address)) &&
      `TEMPORAL_TLS must be true, ${CLOSED}`,
  ];
}

/** Development shows codes on the screen, for example, so it listens on addresses of this machine only. */
export const unsafeHost = (host: string): Unsafe =>
  !isLoopback(host) &&
  `HOST must be an address of this machine such as 127.0.0.1: set NODE_ENV=production to be reached from elsewhere, ${CLOSED}`;

export const unsafePublicKey = (key: string, { texts }: Given): Unsafe =>
  !readSecretKey(key) &&
  !hostsOf(texts.MONGODB_URI ?? '').every(isLoopback) &&
  'GDX_SECRET_KEY must be set for a MONGODB_URI beyond this machine: everybody knows the key of development';

function hasWellKnownPassword(uri: string): boolean {
  const [, user, password] = /^mongodb(?:\+srv)?:\/\/([^:@/]*):([^@/]*)@/.exec(uri) ?? [];
  if (user === undefined || password === undefined) return false;
  return WELL_KNOWN_PASSWORDS.test(decoded(password)) || password === user;
}

/** Text with an invalid `%` escape stays as it is: the driver reports the escape. */
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

export function isLoopback(host: string): boolean {
  if (/^localhost$/i.test(host) || host.endsWith('.sock')) return true;
  return ipaddr.isValid(host) && ipaddr.process(host).range() === 'loopback';
}
