import { channelKey } from '../api/start-api';
import { findChannel } from '../../store/channels/channels';
import { serviceSettings } from '../../config';
import { readTarget } from '../../client/service/read-target';
import { newToken } from '../../store/callers/tokens';
import { pastedForms } from '../setup/pasted';
import { startDesk, type Desk } from './start-desk';

// What operators and engineers paste into gdx: docs/contract.md A18.

let desk: Desk;
beforeAll(async () => {
  desk = await startDesk();
  await channelKey(desk.store, 'acme');
});

test('what stands at both ends of an argument and cannot be seen is no part of it', async () => {
  const added = await desk.gdx([
    ...[
      'channel',
      'add',
      'pasted\u200b',
      '--name',
      '\u202dAcme\u202c',
      '--all-companies\u00a0',
      '--cadence',
      '\u200e1h',
    ],
    ...[
      '--base-url',
      '\ufeffhttps://acme.example/x\u2060',
      '--callback-origin',
      'https://acme.example\u00ad',
      '--json',
    ],
  ]);
  expect(added.exitCode).toBe(0);
  expect(await findChannel(desk.store, 'pasted')).toMatchObject({ name: 'Acme', base_url: 'https://acme.example/x', callback_origins: ['https://acme.example'], cadence_ms: 3_600_000 }); // prettier-ignore
});

test.each([
  [['channel', 'show', 'ac\u200bme'], /there is no channel ac<U\+200B>me; /],
  [
    ['channel', 'set', 'acme', '--base-url', 'https://acme.example/a\u00adb'],
    /the base URL holds U\+00AD, which cannot be seen; /,
  ],
  [
    ['channel', 'set', 'acme', '--callback-origin', 'https://ac\u200bme.example'],
    /the callback origin holds U\+200B, /,
  ],
  [
    ['channel', 'set', 'acme', '--notify-url', 'https://acme.example/a\u00a0b'],
    /the notification address holds U\+00A0, /,
  ],
  [['channel', 'set', 'acme', '--cadence', '1\u2060h'], /1<U\+2060>h/],
  [['channel', 'set', 'acme', '--reason', '\u200b\u00a0', '--name', 'x'], /1 to 200 characters/],
])('%j is refused, and what nobody sees is named', async (args, says) => {
  const { exitCode, stderr } = await desk.gdx(args);
  expect([exitCode === 0, stderr]).toEqual([false, expect.stringMatching(says)]);
});

test('the receiver of gdx listen is refused by name', async () => {
  const env = { GDX_TOKEN: newToken('channel', {}), GDX_PUBLIC_URL: 'http://127.0.0.1:1' };
  const { exitCode, stderr } = await desk.gdx(
    ['listen', 'acme', '--forward-to', 'http://localhost:9000/a\u200b/b', '--once'],
    env,
  );
  expect([exitCode, stderr]).toEqual([
    2,
    expect.stringMatching(/^gdx: the address of the receiver holds U\+200B, which cannot be seen; /m),
  ]);
});

test('a farmer’s phone may be pasted', async () => {
  const unlocked = async (phone: string) =>
    (await desk.gdx(['farmer', 'unlock', phone, '--reason', 'called', '--json'])).exitCode;
  expect(await unlocked('\u202a(701) 555\u20110142\u202c')).toBe(await unlocked('7015550142'));
  expect((await desk.gdx(['farmer', 'unlock', '\u202a(701) 555\u202c', '--reason', 'called'])).exitCode).toBe(
    2,
  );
});

describe('of the service that gdx push asks', () => {
  const token = newToken('erp', {});
  const target = (settings: { url?: string; token?: string }) =>
    readTarget({ url: 'https://a.example', token, signingSecret: '', ...settings }, 'erp', {});

  test('the address is refused by name where it holds what cannot be seen', () =>
    expect(target({ url: 'https://a.example/x\u200b/y' })).rejects.toThrow(
      'the address of the service holds U+200B, which cannot be seen',
    ));

  test('the token is read without it', async () => {
    for (const pasted of pastedForms(token))
      expect(
        (await target(serviceSettings({ GDX_TOKEN: pasted, GDX_PUBLIC_URL: '\u200bhttps://a.example\r' })))
          .token,
      ).toBe(token);
  });
});
