import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { DEFAULT_LIMITS } from '../../api/limits/limits';
import { ROUTES } from '../../api/routes';
import { signedLink } from '../../docs/samples/sign-link.cjs';
import { whyNotGenuine } from '../../docs/samples/verify-signature.cjs';
import { whyNotSigned } from '../../docs/samples/verify-v1a.cjs';
import { ANSWER_EFFECTS } from '../../domain/deliveries/answer-effects';
import { MOST_OF_ACCOUNT } from '../../store/window/choose-records';
import { CUSTOMER_NOTICE_TYPES } from '../../store/alerts/customer-notices';
import { DOCUMENT, type Node } from '../openapi/read-document';
import { guidesPage } from './mailbox';

const DOCS = path.join(__dirname, '../../docs');
const read = (file: string) => readFileSync(path.join(DOCS, file), 'utf8');
const guide = read('customer.md');
const [signature, errors] = [read('signature.md'), read('errors.md')];

test.each(Object.entries(ANSWER_EFFECTS))('the guide’s table says of %s what the code says', (name, row) => {
  const { answers, effect, mend } = row;
  expect(guide).toContain(`\n| ${answers} | \`${name}\` | ${effect} | ${mend ?? ''} |\n`);
});

test('every sample that it names is there', () => {
  const named = [...(guide + signature).matchAll(/\]\((samples\/[^)]+)\)/g)].map(([, file]) => file!);
  expect(named.length).toBeGreaterThan(4);
  expect(named.filter((file) => !existsSync(path.join(DOCS, file)))).toEqual([]);
});

test('the page to try code with is signed as it says, by secret and by key', () => {
  const { page, secret, publicKey } = guidesPage();
  const { body, ...headers } = page;
  expect(signature).toContain(`The body is ${body.length} bytes`);
  const now = Number(page.timestamp);
  const other = `whsec_${Buffer.alloc(32).toString('base64')}`;
  const seen = [
    whyNotGenuine(secret, headers, body, now),
    whyNotSigned(publicKey, headers, body, now),
    whyNotGenuine(secret, headers, Buffer.concat([body, Buffer.from('\n')]), now),
    whyNotGenuine(other, headers, body),
    whyNotGenuine(secret, headers, body),
  ];
  const old = 'the signature fits, but webhook-timestamp is not of these 5 minutes';
  expect(seen).toEqual([undefined, undefined, 'no signature fits', 'no signature fits', old]);
  expect(signature).toContain(`\`${old}\``);
});

test('the link to try code with is signed as it says', () => {
  const [, key, text, signature] = /key\n`(gdx_link_\w+)` the values (`.+`)\nmake the signature `(\w+)`/.exec(
    guide,
  )!;
  const values = [...text!.matchAll(/`([^`]+)`/g)].map(([, value]) => value!);
  expect(signedLink('/subscriptions', key!, values)).toContain(`&signature=${signature}`);
});

describe('of its requests it names', () => {
  const ofCustomers = ROUTES.filter(({ caller }) => caller === 'channel');
  const operations = ofCustomers.map(
    ({ method, path: route }): Node => DOCUMENT.paths[route.replace(/:(\w+)/g, '{$1}')][method.toLowerCase()],
  );

  test('every one, and every code that it may be answered', () => {
    const [, table = ''] = /^\| request \| its limits .*\n([\s\S]*?)\n\n/m.exec(guide)!;
    const codes = operations.flatMap(({ responses }) =>
      Object.values<Node>(responses).flatMap(
        ({ content }) => content?.['application/json']?.schema.allOf?.[1].properties.code.enum ?? [],
      ),
    );
    expect(new Set(codes).size).toBeGreaterThan(8);
    expect([...new Set<string>(codes)].filter((code) => !errors.includes(`\`${code}\``))).toEqual([]);
    const missing = ofCustomers.filter(({ path: route }) => {
      const end = route.replace(/.*:channel_slug\//, '').replace(/:(\w+)/, '{$1}');
      return !table.includes(end);
    });
    expect(missing).toEqual([]);
  });

  test('the limits in force', () => {
    const shown = (figure: number) => figure.toLocaleString('en');
    const { requestsPerMinute, requestsInProgressOfCustomer, ...ofAddress } = DEFAULT_LIMITS;
    expect(guide).toContain(
      `You may send ${shown(requestsPerMinute)} requests a minute and ${requestsInProgressOfCustomer} at the same time`,
    );
    const { requestsOfAddressPerMinute: all, failedAuthenticationsPerMinute: wrong } = ofAddress;
    expect(guide).toContain(
      `one address together ${shown(all)} a minute, of which ${wrong} with a wrong key`,
    );
    expect(guide).toContain(`an account of at most ${shown(MOST_OF_ACCOUNT)} records`);
    for (const { maxBodyBytes = 0 } of ofCustomers)
      if (maxBodyBytes > 0)
        expect(guide).toContain(
          `a body of ${maxBodyBytes < 2 ** 20 ? `${maxBodyBytes / 1024} KiB` : `${maxBodyBytes / 2 ** 20} MiB`}`,
        );
  });
});

test('it names every notice', () =>
  expect(CUSTOMER_NOTICE_TYPES.filter((type) => !guide.includes(`\`${type}\``))).toEqual([]));
