import { createServer, type Socket } from 'node:net';
import { readConfig } from '../../config';
import { ALL_SETTINGS } from '../../domain/settings/all-settings';
import { connectionOptions, lazyClient } from '../../temporal/connect-temporal';
import { serveHere } from '../setup/serve-here';

// Each setting of Temporal's is read through Temporal's own client (docs/contract.md S2).

const KEY = Buffer.from('9f1c44e07ab2d3586e0b91c7f4258da3bb60178ce2d94f36a85107ee4bd2c96f', 'hex');
const PRODUCTION = {
  NODE_ENV: 'production',
  MONGODB_URI: 'mongodb://db.example/gdx?tls=true',
  TEMPORAL_ADDRESS: 'temporal.example:7233',
  GDX_CUSTOMER_SECRETS_KEY: KEY.toString('hex'),
};

const WORDS = [
  'true',
  '1',
  'True',
  'TRUE',
  'yes',
  'on',
  'y',
  '"true"',
  "'1'",
  ' true ',
  'true\r',
  'false',
  '0',
  'False',
  'off',
  '',
];
const BESIDE = [
  {},
  { TEMPORAL_API_KEY: 'of-the-cloud' },
  { TEMPORAL_API_KEY: '' },
  { TEMPORAL_TLS_SERVER_NAME: 'temporal.example' },
  { TEMPORAL_TLS_SERVER_CA_CERT_DATA: '-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----' },
  { TEMPORAL_TLS_SERVER_CA_CERT_PATH: '' },
  { TEMPORAL_TLS_CLIENT_CERT: 'no name of theirs' },
];
const CASES = WORDS.flatMap((word) => BESIDE.map((beside) => [{ TEMPORAL_TLS: word, ...beside }] as const));

test.each([...CASES, ...BESIDE.map((beside) => [beside] as const)])(
  'production does not start with %j, or Temporal’s client speaks TLS',
  (given) => {
    let config;
    try {
      config = readConfig({ ...PRODUCTION, ...given }, 'worker');
    } catch (error) {
      return expect((error as Error).message).toMatch(/^TEMPORAL_TLS/);
    }
    const { temporalEnv: env, temporalAddress: address, temporalNamespace: namespace } = config;
    const { tls } = connectionOptions({ env, address, namespace });
    expect(tls).toBeTruthy();
  },
);

test.each(['True', 'TRUE', 'yes', 'on', '"true"'])('TEMPORAL_TLS=%s is refused by its name', (word) => {
  expect(() => readConfig({ ...PRODUCTION, TEMPORAL_TLS: word }, 'worker')).toThrow(
    /^TEMPORAL_TLS (must be true or false|has quotes)/,
  );
});

test.each([
  ['true', 0x16],
  [' 1\r', 0x16],
  ['', 'P'.charCodeAt(0)], // PRI * HTTP/2.0, on this machine
])('with TEMPORAL_TLS=%j the first byte on the wire is %d', async (TEMPORAL_TLS, expected) => {
  const server = createServer();
  const sockets: Socket[] = [];
  const first = new Promise<Buffer>((resolve) =>
    server.on('connection', (socket) => {
      sockets.push(socket);
      socket.on('error', () => {}).once('data', resolve);
    }),
  );
  const { port } = await serveHere(server);
  const given = { TEMPORAL_ADDRESS: `127.0.0.1:${port}`, TEMPORAL_TLS, MONGODB_URI: 'mongodb://127.0.0.1/x' };
  const {
    temporalEnv: env,
    temporalAddress: address,
    temporalNamespace: namespace,
  } = readConfig(given, 'worker');
  const { connection } = lazyClient({ env, address, namespace });
  const asked = connection
    .withDeadline(Date.now() + 1_000, () => connection.workflowService.getSystemInfo({}))
    .catch(() => {});
  expect((await first)[0]).toBe(expected);
  sockets.forEach((socket) => socket.destroy());
  await asked;
  await connection.close();
});

test.each([
  'dns:///temporal.example',
  '127.0.0.1:7233,temporal.example',
  'https://temporal.example',
  'user:pw@temporal.example',
])('TEMPORAL_ADDRESS=%s is refused, as it is no host and port', (address) =>
  expect(() =>
    readConfig({ ...PRODUCTION, TEMPORAL_TLS: 'true', TEMPORAL_ADDRESS: address }, 'worker'),
  ).toThrow(/^TEMPORAL_ADDRESS must be a host and a port/),
);

test.each(Object.keys(ALL_SETTINGS))('quotes around %s are refused by its name', (name) => {
  for (const value of ['""', "''", '"true"', "'of-a-file'", '“words”'])
    expect(() => readConfig({ [name]: value }, 'gdx')).toThrow(`${name} has quotes around it`);
});
