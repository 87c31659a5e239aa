import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CLIENTS } from './clients';

// Some of those that browsers, and so `fetch`, do not open.
const REFUSED_BY_BROWSERS = [
  10080, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6697, 5060, 5061, 4190, 4045, 3659, 2049,
];

let servers: Server[];
beforeAll(async () => {
  servers = [await listening([0]), await listening(REFUSED_BY_BROWSERS)];
});
afterAll(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

/** At the first of the ports that nothing else has. */
async function listening([port, ...others]: number[]): Promise<Server> {
  const server = createServer((request, response) => {
    request.resume();
    response.end();
  });
  const isFree = await new Promise<boolean>((done) => {
    server.once('error', () => done(false));
    server.listen(port, '127.0.0.1', () => done(true));
  });
  return isFree ? server : listening(others);
}

const portOf = (server: Server) => (server.address() as AddressInfo).port;

describe.each(Object.entries(CLIENTS))('%s', (_client, send) => {
  test('goes to a port that browsers do not open', async () =>
    expect(await send(`http://127.0.0.1:${portOf(servers[1]!)}`)).toBe(true));

  test.each(['http://[::ffff:127.0.0.1]', 'HTTP://LocalHost', 'http://127.1'])('goes to %s', async (origin) =>
    expect(await send(`${origin}:${portOf(servers[0]!)}`)).toBe(true),
  );

  test('goes to an address with a path and a slash', async () =>
    expect(await send(`http://127.0.0.1:${portOf(servers[0]!)}/a/path/`)).toBe(true));
});
