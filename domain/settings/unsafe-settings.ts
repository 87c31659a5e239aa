import ipaddr from 'ipaddr.js';
import { type MongodbUri, readUri } from './mongodb-uri';
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

export function unsafeMongodb(text: string, { texts }: Given): Unsafe[] {
  const uri = readUri(text);
  if (typeof uri === 'string') return [];
  return [
    DEVELOPMENT_MONGODB.test(text) &&
      'MONGODB_URI is that of development: name the replica set and the database',
    hasWellKnownPassword(uri) &&
      'MONGODB_URI has a password that everybody tries first: use `openssl rand -hex 32`',
    uri.unchecked.length > 0 &&
      'MONGODB_URI must not switch off the check of certificates: name the authority in tlsCAFile',
    !texts.GDX_CLOSED_NETWORK &&
      !uri.hasTls &&
      isElsewhere(uri) &&
      `MONGODB_URI must have tls=true, ${CLOSED}`,
  ];
}

const isElsewhere = ({ hosts }: MongodbUri) =>
  hosts.length === 0 || !hosts.every((host) => isLoopback(hostOf(host)));

const TURNS_TLS_ON =
  /^TEMPORAL_TLS(_SERVER_NAME|_(SERVER_CA|CLIENT)_CERT_(PATH|DATA)|_CLIENT_KEY_(PATH|DATA))?$/;

/** The connection as Temporal's client reads its own settings: any of them that is about TLS turns it on. */
export function unsafeTemporal(address: string, { texts }: Given): Unsafe[] {
  const { TEMPORAL_API_KEY, TEMPORAL_TLS = '' } = texts;
  const isTlsOff = /^(?:false|0)$/.test(TEMPORAL_TLS);
  const hasTls = !isTlsOff && Object.entries(texts).some(([name, text]) => TURNS_TLS_ON.test(name) && text);
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

export const unsafePublicKey = (key: string, { texts }: Given): Unsafe => {
  const uri = readUri(texts.MONGODB_URI ?? '');
  return (
    !readSecretKey(key) &&
    typeof uri !== 'string' &&
    isElsewhere(uri) &&
    'GDX_SECRET_KEY must be set for a MONGODB_URI beyond this machine: everybody knows the key of development'
  );
};

const hasWellKnownPassword = ({ user, password }: MongodbUri): boolean =>
  user !== '' && (WELL_KNOWN_PASSWORDS.test(password) || password === user);

const hostOf = (address: string) => address.replace(/:\d+$/, '').replace(/[[\]]/g, '');

export function isLoopback(host: string): boolean {
  if (/^localhost$/i.test(host) || host.endsWith('.sock')) return true;
  return ipaddr.isValid(host) && ipaddr.process(host).range() === 'loopback';
}
