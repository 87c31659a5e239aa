import { createServer, type Server, type ServerResponse } from 'node:http';
import type { CliError } from '../../client/cli-error';
import { askCheck } from '../../client/check/ask-check';
import { findingsInWords } from '../../client/check/say-findings';
import { serveHere } from '../setup/serve-here';

// What gdx.mjs makes of the answers of a service that lies, or is none (docs/contract.md E23).

let answer: (response: ServerResponse) => void;
let server: Server;
let url: string;
beforeAll(async () => {
  server = createServer((_, response) => answer(response));
  ({ url } = await serveHere(server));
});

const checked = { tickets: 3 };
const finding = { name: 'net_wrong', count: 1, examples: ['tickets T'], says: 's', follows: 'f', mend: 'm' };
const said: unknown[] = [];
const ask = () => askCheck({ url, token: 'gdx_erp_test_x' }, (counts) => said.push(counts));

const lines = (...all: unknown[]) => all.map((one) => `${JSON.stringify(one)}\n`).join('');

test('lines may be cut anywhere, and what is said so far is passed on', async () => {
  const text = lines({ checked: { tickets: 1 } }, { checked, findings: [{ ...finding, says: 'größer' }] });
  answer = (response) => {
    for (const byte of Buffer.from(text)) response.write(Buffer.from([byte]));
    response.end();
  };
  expect(await ask()).toEqual({ checked, findings: [{ ...finding, says: 'größer' }] });
  expect(said).toEqual([{ tickets: 1 }]);
});

test.each<[string, (response: ServerResponse) => void, RegExp]>([
  ['a proxy’s page', (response) => response.end('<html>\n'), /not the result of a check; .*address/],
  ['no counts', (response) => response.end(lines({ findings: [] })), /not the result of a check/],
  [
    'a count that is none',
    (response) => response.end(lines({ checked: { tickets: -1 } })),
    /not the result of a check/,
  ],
  [
    'findings that are none',
    (response) => response.end(lines({ checked, findings: [{ ...finding, count: 0 }] })),
    /not the result of a check/,
  ],
  [
    'an end before the findings',
    (response) => response.end(lines({ checked })),
    /broke off: it has no findings; .*run it again/,
  ],
  [
    'a connection that breaks',
    (response) => void response.write(lines({ checked }), () => response.destroy()),
    /broke off/,
  ],
  [
    'a refusal without an end',
    (response) => response.writeHead(400).end('x'.repeat(2 ** 20 + 1)),
    /broke off: the service does not answer \(AnswerTooLarge\)/,
  ],
  ['a line without an end', (response) => response.end('x'.repeat(2 ** 20 + 1)), /broke off/],
  [
    'a wrong token',
    (response) => response.writeHead(401).end('{"code":"UNAUTHENTICATED","message":"Not known."}'),
    /Not known\.; check GDX_TOKEN/,
  ],
  [
    'another check in progress',
    (response) => response.writeHead(429).end('{"code":"RATE_LIMITED","message":"Wait."}'),
    /another check is in progress/,
  ],
  [
    'an address without the service',
    (response) => response.writeHead(404).end('no'),
    /answered 404; check the address/,
  ],
])('%s', async (_, lie, says) => {
  // prettier-ignore
  answer = lie;
  const error = await ask().then(
    () => undefined,
    (thrown: CliError) => `${thrown.message}; ${thrown.advice}`,
  );
  expect(error).toMatch(says);
});

test('nothing that the service names reaches the terminal as a control', () => {
  const { text } = findingsInWords([{ ...finding, examples: ['tickets \u001b[31mT'] }]);
  expect(text).toContain(String.raw`such as  tickets \u001b[31mT`);
  expect(findingsInWords([]).notes).toEqual(['Nothing is wrong with these records.']);
});
