import { INVALID_INPUT, type BadInput } from './bad-input';

const account = { id: '1', name: 'Meyer Farms' };
const command = { 'update-accounts': { accounts: [account] } };
const accounts = (count: number) =>
  Array.from({ length: count }, (_, id) => ({ id: String(id), name: 'Meyer' }));
const HERE = 'data[0].update-accounts.accounts';

const ENTRIES: [string, unknown][] = [
  ['null', null],
  ['a text', 'update-accounts'],
  ['a number', 7],
  ['true', true],
  ['a list', []],
  ['a list of a command', [command]],
  ['without a key', {}],
  ['with two commands', { ...command, 'update-tickets': { tickets: [] } }],
  ['with a second key', { ...command, note: 'x' }],
  ['unknown', { 'update-farmers': { farmers: [] } }],
  ['delete-accounts', { 'delete-accounts': { accounts: [] } }],
  ['in capitals', { 'Update-Accounts': { accounts: [] } }],
  ['with an underscore', { update_accounts: { accounts: [] } }],
  ['with a blank', { 'update-accounts ': { accounts: [] } }],
  ['with a look-alike hyphen', { 'update\u2010accounts': { accounts: [] } }],
  ['constructor', { constructor: { accounts: [] } }],
  ['toString', { toString: { accounts: [] } }],
  ['an operator of MongoDB', { $set: { accounts: [] } }],
  ['an empty name', { '': { accounts: [] } }],
  ['of the records alone', { accounts: [account] }],
];

const PAYLOADS: [string, unknown][] = [
  ['null', null],
  ['a list', [account]],
  ['a text', 'x'],
  ['empty', {}],
  ['of another type', { tickets: [] }],
  ['with accounts null', { accounts: null }],
  ['with accounts as object', { accounts: account }],
  ['with accounts as text', { accounts: 'all' }],
  ['with accounts as number', { accounts: 1 }],
  ['with accounts in capitals', { Accounts: [account] }],
];

const RECORDS: [string, unknown][] = [
  ['null', null],
  ['a text', '1'],
  ['a number', 1],
  ['a list', [account]],
  ['false', false],
];

export const envelope: BadInput[] = [
  ...[
    ['null', 'null'],
    ['a list', '[]'],
    ['a text', '"data"'],
    ['a number', '1'],
    ['true', 'true'],
    ['an empty object', '{}'],
    ['Data', '{"Data":[]}'],
    ['data null', '{"data":null}'],
    ['no commands', '{"data":[]}'],
    ['no commands, and something else', '{"data":[],"note":"x"}'],
    ['data as object', '{"data":{}}'],
    ['data as text', '{"data":"[]"}'],
    ['data as number', '{"data":0}'],
    ['data as false', '{"data":false}'],
  ].map(([name, body]) => INVALID_INPUT(`the body is ${name}`, body, 'data')),
  INVALID_INPUT('101 commands', { data: Array.from({ length: 101 }, () => command) }, 'data'),
  INVALID_INPUT('5,001 records', { data: [{ 'update-accounts': { accounts: accounts(5_001) } }] }, 'data'),
  INVALID_INPUT(
    '5,001 records in two commands',
    { data: [2_500, 2_501].map((count) => ({ 'update-accounts': { accounts: accounts(count) } })) },
    'data',
  ),
  ...ENTRIES.map(([name, entry]) => INVALID_INPUT(`a command: ${name}`, { data: [entry] }, 'data[0]')),
  INVALID_INPUT('the second command', { data: [command, {}] }, 'data[1]'),
  INVALID_INPUT('two bad commands', { data: [{}, command, null] }, 'data[0]', 'data[2]'),
  ...PAYLOADS.map(([name, payload]) =>
    INVALID_INPUT(`a payload: ${name}`, { data: [{ 'update-accounts': payload }] }, HERE),
  ),
  ...RECORDS.map(([name, record]) =>
    INVALID_INPUT(
      `a record: ${name}`,
      { data: [{ 'update-accounts': { accounts: [record] } }] },
      `${HERE}[0]`,
    ),
  ),
  INVALID_INPUT(
    'the last of many records',
    { data: [{ 'update-accounts': { accounts: [...accounts(99), { id: 'x' }] } }] },
    `${HERE}[99].name`,
  ),
];
