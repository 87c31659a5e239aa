import { randomBytes } from 'node:crypto';
import { knownDevice, rememberDevice } from '../../store/access/device-tokens';
import type { Store } from '../../store/store';

const PHONE = '7015550142';
const store = { hashKey: randomBytes(32) } as Store;
const remember = (phones: string[], before = '') =>
  phones.reduce((token, phone) => rememberDevice(store, token, phone), before);

afterEach(() => jest.restoreAllMocks());

test('a browser keeps its name over all codes that are entered in it, and with it what was counted', () => {
  const first = remember([PHONE]);
  const again = remember(['7015550199', PHONE, PHONE], first);
  expect(knownDevice(store, again, PHONE)).toBe(knownDevice(store, first, PHONE));
});

test('a phone whose codes are entered again and again pushes out no other', () => {
  const token = remember(['7015550199', ...Array<string>(6).fill(PHONE)]);
  expect(knownDevice(store, token, '7015550199')).toBeDefined();
});

test('of six phones it knows the last five', () => {
  const phones = Array.from({ length: 6 }, (_, index) => `701555018${index}`);
  const token = remember(phones);
  const known = phones.filter((phone) => knownDevice(store, token, phone) !== undefined);
  expect(known).toEqual(phones.slice(1));
});

test('it is known for a year, and has another name then', () => {
  const token = remember([PHONE]);
  const name = knownDevice(store, token, PHONE);
  const clock = jest.spyOn(Date, 'now');
  clock.mockReturnValue(Date.now() + 364 * 24 * 3_600_000);
  expect(knownDevice(store, token, PHONE)).toBe(name);
  clock.mockReturnValue(Date.now() + 2 * 24 * 3_600_000);
  expect(knownDevice(store, token, PHONE)).toBeUndefined();
  expect(knownDevice(store, remember([PHONE], token), PHONE)).not.toBe(name);
});
