import { Command } from 'commander';
import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { SettingsList } from '../../api/channel/views/settings';
import { channelDocument } from '../../cli/channel-document';
import { changeOptions, channelChanges, channelOptions, channelSettings } from '../../cli/channel-options';
import type { Settable } from '../../control/channel-setting';
import type { Channel } from '../../store/channels/channels';
import { temporaryFolder } from '../setup/temporary-folder';

const RULES = { production: true, outboundAllow: [], outboundPorts: [443] };
const NOW = new Date('2026-10-01T00:00:00Z');
const NEW = ['--name', 'Acme', '--base-url', 'https://acme.example'];

const CHANNEL: Channel = {
  _id: 'acme',
  name: 'Acme',
  base_url: 'https://acme.example',
  scope: 'all',
  entity_types: ['tickets'],
  companies: [],
  cadence_ms: 3_600_000,
  page_size: 1000,
  callback_origins: [],
  state: 'active',
  signing_secrets: [],
  api_key_hashes: [],
  run: 0,
  shares_version: 0,
  created_at: NOW,
};

interface Case {
  /** Of `gdx channel set`, or of `add` where only that has it. */
  given: string[];
  only?: 'add';
  read: unknown;
  /** As it is stored, where that is something else. */
  stored?: unknown;
  /** In `gdx channel show`: a member and its value. */
  shown: Record<string, unknown>;
  line?: string;
  /** The same option with what it does not take, and the sentence. */
  refused: [text: string, says: string];
}

/** One case a setting, for each of its doors. */
const CASES: { [Name in keyof Settable]: Case } = {
  name: {
    given: ['--name', ' Acme Crop '],
    read: 'Acme Crop',
    shown: { name: 'Acme Crop' },
    refused: [' ', 'It must be 1 to 200 characters on one line.'],
  },
  delivery: {
    given: ['--delivery', 'pull'],
    read: 'pull',
    shown: { delivery: 'pull' },
    line: 'Delivery: the customer collects its pages',
    refused: ['fax', 'Allowed choices are push, pull.'],
  },
  base_url: {
    given: ['--base-url', 'https://acme.example/in/'],
    read: 'https://acme.example/in',
    shown: { base_url: 'https://acme.example/in' },
    line: 'Base URL: https://acme.example/in',
    refused: ['http://acme.example', 'the base URL must begin with https://; correct --base-url'],
  },
  scope: {
    given: ['--scope', 'subscribed', '--all-companies'],
    only: 'add',
    read: 'subscribed',
    shown: { scope: 'subscribed' },
    line: 'Scope: subscribed',
    refused: ['some', 'Allowed choices are all, subscribed.'],
  },
  entity_types: {
    given: ['--entities', 'tickets, accounts'],
    read: ['accounts', 'tickets'],
    shown: { entity_types: ['accounts', 'tickets'] },
    line: 'Entity types: accounts, tickets',
    refused: ['wheat', 'Use some of accounts,contracts,tickets,settlements.'],
  },
  companies: {
    given: ['--company', '42', '--company', '43', '--company', '42'],
    only: 'add',
    read: ['42', '43'],
    shown: { companies: ['42', '43'] },
    line: 'Companies: 42, 43',
    refused: ['4-2', 'It is not a company id: `gdx integration list` shows them.'],
  },
  cadence_ms: {
    given: ['--cadence', '30m'],
    read: 1_800_000,
    shown: { cadence: '30m' },
    line: 'Cadence: 30m',
    refused: ['2d', 'Use 1s to 24h, like 30s, 15m or 1h.'],
  },
  page_size: {
    given: ['--page-size', '2500'],
    read: 2500,
    shown: { page_size: 2500 },
    line: 'Page size: 2,500',
    refused: ['0', 'Use 1 to 5000 records.'],
  },
  gzip: {
    given: ['--gzip', 'on'],
    read: true,
    shown: { gzip: true },
    line: 'Packed with gzip: yes',
    refused: ['yes', 'Use on or off.'],
  },
  authorization: {
    given: ['--authorization', 'Basic abc'],
    read: 'Basic abc',
    stored: Buffer.from('sealed'),
    shown: { has_authorization: true },
    line: 'Authorization is sent: yes',
    refused: ['a\nb', 'Use visible ASCII characters only.'],
  },
  headers: {
    given: ['--header', 'X-A: 1', '--header', 'off', '--header', 'X-B: 2', '--header', 'X-C: 3'],
    read: [
      { name: 'X-B', value: '2' },
      { name: 'X-C', value: '3' },
    ],
    stored: [{ name: 'X-B', sealed: Buffer.from('sealed') }],
    shown: { headers: ['X-B'] },
    line: 'Other headers: X-B',
    refused: ['x-c: 4', 'x-c is named twice.'],
  },
  callback_origins: {
    given: ['--callback-origin', 'https://B.example:443', '--callback-origin', 'https://a.example'],
    read: ['https://b.example', 'https://a.example'],
    shown: { callback_origins: ['https://b.example', 'https://a.example'] },
    line: 'Callback origins: https://b.example, https://a.example',
    refused: ['b.example', 'the callback origin must be an https address like https://acme.example'],
  },
  purpose: {
    given: ['--purpose', 'en=To lend.', '--purpose', 'es=Para prestar.'],
    read: { en: 'To lend.', es: 'Para prestar.' },
    shown: { purpose: ['en=To lend.', 'es=Para prestar.'] },
    line: 'Purpose, as farmers read it: To lend. / Para prestar.',
    refused: ['en=Again', 'en is given twice.'],
  },
  passes_on: {
    given: ['--passes-on', 'nobody'],
    read: [],
    shown: { passes_on: [] },
    line: 'May be passed on to: nobody',
    refused: [' ', 'It must be 1 to 200 characters on one line.'],
  },
  contact: {
    given: ['--contact', '1-800-555-0100'],
    read: '1-800-555-0100',
    shown: { contact: '1-800-555-0100' },
    line: 'Whom farmers can call: 1-800-555-0100',
    refused: [' ', 'It must be 1 to 200 characters on one line.'],
  },
  end_required: {
    given: ['--end-required', 'off'],
    read: false,
    shown: { end_required: false },
    refused: ['no', 'Use on or off.'],
  },
  notify_url: {
    given: ['--notify-url', 'off'],
    read: '',
    shown: { notify_url: null },
    line: 'Notification address: none',
    refused: ['https://10.0.0.1', 'the notification address points to 10.0.0.1, a private address'],
  },
};

/** What `gdx` makes of the options. @throws with the sentence that it says */
function take(only: 'add' | 'set', options: string[]): Record<string, unknown> {
  const command = (only === 'add' ? channelOptions : changeOptions)(new Command()).exitOverride();
  command.configureOutput({ writeErr: () => {} }).parse(['acme', ...options], { from: 'user' });
  return {
    ...(only === 'add' ? channelSettings(command.opts(), RULES) : channelChanges(command.opts(), RULES)),
  };
}

function says(...[only, options]: Parameters<typeof take>): string {
  try {
    return JSON.stringify(take(only, options));
  } catch (error) {
    const { message, advice = '' } = error as { message: string; advice?: string };
    return `${message}; ${advice}`;
  }
}

function linesOf(channel: Channel): string[] {
  const view = { channel };
  const html = renderToString(h(SettingsList, { context: { now: NOW, door: {} }, view } as never));
  return [...html.matchAll(/<dt>(.*?)<\/dt><dd>(.*?)<\/dd>/g)].map(([, name, text]) => `${name}: ${text}`);
}

const table = Object.entries<Case>(CASES);

describe('settings of a channel', () => {
  test.each(table)('%s is read, stored and shown', (name, one) => {
    const { given, only, read, stored = read, shown, line } = one;
    if (only) expect(take(only, [...NEW, ...given])).toMatchObject({ [name]: read });
    else expect(take('set', given)).toEqual({ [name]: read });
    const channel = { ...CHANNEL, [name]: stored };
    expect(channelDocument(channel, NOW.getTime())).toMatchObject(shown);
    if (line) expect(linesOf(channel)).toContain(line);
    else expect(linesOf(channel)).toEqual(linesOf(CHANNEL));
  });

  test.each(table)('%s is refused by one sentence', (_, { given, only, refused: [text, sentence] }) => {
    expect(says(only ?? 'set', [...(only ? NEW : []), ...given, given[0]!, text])).toContain(sentence);
  });

  test('a new channel has what is usual; its name has to be given', () => {
    const { name, base_url, ...usual } = take('add', [...NEW, '--all-companies']);
    expect([name, base_url]).toEqual(['Acme', 'https://acme.example']);
    expect(usual).toEqual({
      ...{ scope: 'all', entity_types: ['accounts', 'contracts', 'tickets', 'settlements'], companies: [] },
      ...{ cadence_ms: 3_600_000, page_size: 1000, headers: [], callback_origins: [] },
    });
    expect(says('add', NEW.slice(2))).toContain("required option '--name <name>' not specified");
  });

  test('what is missing of a purpose is named', () =>
    expect(says('set', ['--purpose', 'en=To lend.'])).toBe('--purpose has no es; add --purpose es=...'));

  test('secrets are read from files, and never from both', () => {
    const folder = temporaryFolder('secrets');
    const file = (text: string) => {
      const name = path.join(folder, `${Buffer.from(text).toString('hex')}.txt`);
      writeFileSync(name, text);
      return name;
    };
    const both = file('X-A: 1\n\nX-B: 2\n');
    expect(take('add', [...NEW, '--all-companies', '--header-file', both])).toMatchObject({
      headers: [
        { name: 'X-A', value: '1' },
        { name: 'X-B', value: '2' },
      ],
    });
    expect(take('set', ['--header-file', file('\n')])).toEqual({ headers: [] });
    expect(says('set', ['--header-file', file('X-A: 1\noff\n')])).toContain(
      'It is not like X-Api-Key: value.',
    );
    expect(take('set', ['--authorization-file', file('Basic abc\n')])).toEqual({
      authorization: 'Basic abc',
    });
    for (const text of ['\n', 'Basic abc\nmore'])
      expect(says('set', ['--authorization-file', file(text)])).toContain('The file must hold one line.');
    for (const given of [
      ['--header', 'X-C: 3'],
      ['--header', 'off'],
    ])
      expect(says('set', [...given, '--header-file', both])).toBe(
        '--header and --header-file exclude each other; leave one of them out',
      );
  });
});
