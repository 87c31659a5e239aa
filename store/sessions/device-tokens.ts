import { hasCome, msNow } from '../../domain/time/elapsed';
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Store } from '../store';
import { farmerOf } from '../consent/subscriptions';
import { deriveKey } from '../secrets/seal';

// One entry of 52 bytes for each phone: when it ends (seconds), a random name of the browser, and their HMAC.
const ENDS = 4;
const NAME = 20;
const ENTRY = 52;
const MOST_PHONES = 5;
const YEAR_S = 365 * 24 * 3_600;

/** The name of a browser in which this phone was verified within a year; undefined where no entry is genuine. */
export function knownDevice(store: Store, token: string, phone: string): string | undefined {
  return genuine(store, token, phone)?.subarray(ENDS, NAME).toString('base64url');
}

/** Adds the phone to what a browser holds, as the newest of at most five. The name stays, and with it what was counted. */
export function rememberDevice(store: Store, token: string, phone: string): string {
  const own = genuine(store, token, phone);
  const ends = Buffer.alloc(ENDS);
  ends.writeUInt32BE(Math.floor(msNow() / 1_000) + YEAR_S);
  const signed = Buffer.concat([ends, own?.subarray(ENDS, NAME) ?? randomBytes(NAME - ENDS)]);
  const others = entriesOf(token).filter((entry) => !own?.equals(entry));
  const entries = [Buffer.concat([signed, macOf(store, signed, phone)]), ...others];
  return Buffer.concat(entries.slice(0, MOST_PHONES)).toString('base64url');
}

function genuine(store: Store, token: string, phone: string): Buffer | undefined {
  return entriesOf(token).find((entry) => {
    const signed = entry.subarray(0, NAME);
    const isOurs = timingSafeEqual(entry.subarray(NAME), macOf(store, signed, phone));
    return isOurs && !hasCome(new Date(entry.readUInt32BE() * 1_000));
  });
}

function entriesOf(token: string): Buffer[] {
  const bytes = Buffer.from(token, 'base64url');
  if (bytes.length % ENTRY !== 0 || bytes.length > MOST_PHONES * ENTRY) return [];
  return Array.from({ length: bytes.length / ENTRY }, (_, index) =>
    bytes.subarray(index * ENTRY, (index + 1) * ENTRY),
  );
}

function macOf(store: Store, signed: Buffer, phone: string): Buffer {
  const key = deriveKey(store.hashKey, 'known devices');
  return createHmac('sha256', key).update(farmerOf(store, phone)).update(signed).digest();
}
