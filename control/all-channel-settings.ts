import { CADENCE_MS, formatCadence, parseCadence } from '../domain/deliveries/cadence';
import { isCompanyId } from '../domain/records/company-id';
import { ENTITY_TYPES, isEntityType } from '../domain/records/entity-types';
import { checkBaseUrl, checkCallbackOrigin, checkNotifyUrl } from '../domain/settings/base-url';
import { PAGE_SIZE_RANGE, SCOPES } from '../domain/settings/channel';
import { MOST_HEADERS, readOwnHeader } from '../domain/settings/own-header';
import { isLanguage, LANGUAGES } from '../domain/text/language';
import { NOT_ONE_LINE, oneLine } from '../domain/text/one-line';
import { wholeIn } from '../domain/text/whole-number';
import type { Purpose } from '../store/channels/channels';
import { type ChannelSetting, type Settable, switchSetting } from './channel-setting';
import { flaw, Flawed } from './deed';

const CADENCES = `${formatCadence(CADENCE_MS.min)} to ${formatCadence(CADENCE_MS.max)}`;
const PAGE_SIZES = `${PAGE_SIZE_RANGE.min} to ${PAGE_SIZE_RANGE.max}`;

const readLine = (text: string) => oneLine(text) ?? flaw(NOT_ONE_LINE);
const withOne = (text: string, before: string[] = []) => [...new Set([...before, text])];

/**
 * Every setting of a channel, one row each. The options of `gdx channel add` and `gdx channel set`, what `gdx` shows of it,
 * what is recorded of a change, and the lines on the channel's page come from it, in this order.
 */
const ROWS: { [Name in keyof Settable]: ChannelSetting<Settable[Name]> } = {
  name: {
    option: ['--name <name>', 'the customer’s name, as farmers and operators see it'],
    isNeeded: true,
    read: readLine,
  },
  delivery: {
    option: ['--delivery <how>', 'pages are posted (push), or the customer collects them (pull)'],
    choices: ['push', 'pull'],
    absent: 'push',
    page: [
      'Delivery',
      ({ delivery }) => (delivery === 'pull' ? 'the customer collects its pages' : 'pages are posted'),
    ],
  },
  base_url: {
    option: [
      '--base-url <url>',
      'pages are posted to <url>/feed',
      'pages are posted to <url>/feed; it has to take a test page first',
    ],
    check(url, rules) {
      const checked = checkBaseUrl(url, rules);
      return 'baseUrl' in checked ? checked.baseUrl : flaw(`the base URL ${checked.problem}`);
    },
    page: ['Base URL'],
  },
  scope: {
    option: ['--scope <scope>', 'every record, or shared ones'],
    only: 'add',
    choices: SCOPES,
    usual: 'all',
    page: ['Scope'],
  },
  entity_types: {
    option: ['--entities <types>', `comma-separated, of ${ENTITY_TYPES.join(',')}`],
    read(text) {
      const named = text.split(',').map((type) => type.trim());
      if (named.every(isEntityType)) return ENTITY_TYPES.filter((type) => named.includes(type));
      return flaw(`Use some of ${ENTITY_TYPES.join(',')}.`);
    },
    page: ['Entity types'],
  },
  companies: {
    option: ['--company <id>', 'a company whose records it carries; repeatable'],
    only: 'add',
    usual: [],
    read(id, before) {
      if (isCompanyId(id)) return withOne(id, before);
      return flaw('It is not a company id: `gdx integration list` shows them.');
    },
    page: ['Companies', ({ companies }) => companies.join(', ') || 'every company'],
  },
  cadence_ms: {
    option: ['--cadence <interval>', CADENCES],
    usual: CADENCE_MS.default,
    read: (text) => parseCadence(text) ?? flaw(`Use ${CADENCES}, like 30s, 15m or 1h.`),
    written: formatCadence,
    member: 'cadence',
    page: ['Cadence'],
  },
  page_size: {
    option: ['--page-size <records>', PAGE_SIZES],
    usual: PAGE_SIZE_RANGE.default,
    read: (text) => wholeIn(PAGE_SIZE_RANGE, text) ?? flaw(`Use ${PAGE_SIZES} records.`),
    page: ['Page size'],
  },
  gzip: switchSetting({
    option: ['--gzip <on|off>', 'compress every page (default: off)', 'compress every page'],
    page: ['Packed with gzip'],
  }),
  authorization: {
    option: ['--authorization <key>', 'sent to the customer with every page'],
    fromFile: 'the same from a file that holds nothing else; - is standard input',
    // It becomes a header: visible ASCII and inner blanks only, so that it cannot inject another header.
    read: (text) =>
      /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text)
        ? text
        : flaw('Use visible ASCII characters only.'),
    member: 'has_authorization',
    shown: ({ authorization }) => authorization !== undefined,
    page: ['Authorization is sent'],
  },
  headers: {
    option: [
      '--header <line>',
      'another header, as `X-Api-Key: ...`; repeatable',
      'another header, as `X-Api-Key: ...`; repeatable, replaces all',
    ],
    usual: [],
    off: [],
    fromFile: 'such headers from a file, a line each; - is standard input',
    read(text, before = []) {
      const read = readOwnHeader(text);
      if ('problem' in read) return flaw(`It ${read.problem}.`);
      if (before.some(({ name }) => name.toLowerCase() === read.name.toLowerCase()))
        return flaw(`${read.name} is named twice.`);
      if (before.length === MOST_HEADERS) return flaw(`There are more than ${MOST_HEADERS}.`);
      return [...before, read];
    },
    shown: ({ headers = [] }) => headers.map(({ name }) => name),
    page: ['Other headers'],
  },
  callback_origins: {
    option: [
      '--callback-origin <origin>',
      'origin that farmers may return to; repeatable',
      'where its farmers may return to; repeatable, replaces all',
    ],
    usual: [],
    read: withOne,
    check(texts, rules) {
      const origins: string[] = [];
      for (const text of texts) {
        const checked = checkCallbackOrigin(text, rules);
        if ('problem' in checked) return flaw(`the callback origin ${checked.problem}`);
        origins.push(checked.origin);
      }
      return origins;
    },
    page: ['Callback origins'],
  },
  purpose: {
    option: [
      '--purpose <language=text>',
      `what the customer gets farmers’ records for, in two plain sentences; once for each of ${LANGUAGES.join(', ')}`,
    ],
    read(text, before) {
      const [, language, said = ''] = /^(\w+)=(.*)$/s.exec(text) ?? [];
      if (!isLanguage(language)) return flaw(`Write it like en=..., for each of ${LANGUAGES.join(', ')}.`);
      if (before?.[language] !== undefined) return flaw(`${language} is given twice.`);
      const line = readLine(said);
      return line instanceof Flawed ? line : ({ ...before, [language]: line } as Purpose);
    },
    check(purpose) {
      const missing = LANGUAGES.filter((language) => purpose[language] === undefined);
      if (missing.length === 0) return purpose;
      const advice = `add ${missing.map((language) => `--purpose ${language}=...`).join(' ')}`;
      return flaw(`--purpose has no ${missing.join(', ')}`, { advice });
    },
    shown: ({ purpose }) => (purpose ? Object.entries(purpose).map((said) => said.join('=')) : null),
    page: ['Purpose, as farmers read it', ({ purpose: of }) => (of ? `${of.en} / ${of.es}` : null)],
  },
  passes_on: {
    option: ['--passes-on <name|nobody>', 'to whom the customer may pass them on; repeatable, replaces all'],
    read(text, before = []) {
      const name = text === 'nobody' ? undefined : readLine(text);
      return name instanceof Flawed ? name : name === undefined ? before : withOne(name, before);
    },
    page: ['May be passed on to', ({ passes_on: to }) => (to ? to.join(', ') || 'nobody' : null)],
  },
  contact: {
    option: ['--contact <text>', 'contact for farmers, such as a phone number'],
    only: 'set',
    read: readLine,
    page: ['Whom farmers can call', ({ contact = 'nobody' }) => contact],
  },
  end_required: switchSetting({
    option: ['--end-required <on|off>', 'farmers have to choose a day on which sharing ends'],
    only: 'set',
  }),
  notify_url: {
    option: ['--notify-url <url>', 'where the customer is told of failures, pauses and grants'],
    only: 'set',
    off: '',
    check(url, rules) {
      const checked = checkNotifyUrl(url, rules);
      return 'notifyUrl' in checked ? checked.notifyUrl : flaw(`the notification address ${checked.problem}`);
    },
    page: ['Notification address'],
  },
};

/** The rows by name, in their order. */
export const CHANNEL_SETTINGS = Object.entries<ChannelSetting>(ROWS) as [keyof Settable, ChannelSetting][];
