import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import net from 'node:net';
import path from 'node:path';
import tls from 'node:tls';
import { createHttpServer } from '../../api/server/http-server';
import { checkout } from '../../tools/local/checkout';
import { freePort } from '../../tools/local/free-port';
import { eventually } from '../setup/eventually';
import { startProgram } from '../setup/processes';
import { temporaryFolder } from '../setup/temporary-folder';
import { serveHere } from '../setup/serve-here';

const SHIPPED = path.join(checkout, 'deploy/nginx');
const OF_ADDRESS = 64;
const open = new Set<net.Socket>();
afterEach(() => open.forEach((socket) => socket.destroy()));

/** nginx with the shipped configuration; only addresses, ports and paths of files are this machine's. */
async function startNginx(api: number) {
  const folder = temporaryFolder('nginx');
  const port = await freePort();
  mkdirSync(path.join(folder, 'tmp'));
  const key = path.join(folder, 'privkey.pem');
  const certificate = path.join(folder, 'fullchain.pem');
  const of = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=gdx.example.com'];
  execFileSync('openssl', [...of, '-keyout', key, '-out', certificate], { stdio: 'ignore' });
  copyFileSync(path.join(SHIPPED, 'gdx-proxy.conf'), path.join(folder, 'gdx-proxy.conf'));
  const site = readFileSync(path.join(SHIPPED, 'gdx.conf'), 'utf8')
    .replace('127.0.0.1:3000', `127.0.0.1:${api}`)
    .replace('listen 443', `listen 127.0.0.1:${port}`)
    .replaceAll('/etc/nginx/', `${folder}/`)
    .replaceAll('/var/log/nginx/', `${folder}/`);
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/tmp/${name};`,
  );
  writeFileSync(
    path.join(folder, 'nginx.conf'),
    `daemon off; pid ${folder}/pid; error_log ${folder}/error.log; events {} http { ${paths.join(' ')} ${site} }`,
  );
  const args = ['-p', folder, '-c', path.join(folder, 'nginx.conf'), '-e', path.join(folder, 'error.log')];
  const nginx = startProgram('nginx', args, process.env);
  const connect = async () => {
    const socket = tls.connect({ port, host: '127.0.0.1', rejectUnauthorized: false });
    open.add(socket);
    socket.on('error', () => undefined);
    await once(socket, 'secureConnect');
    return socket;
  };
  await eventually(async () => void (await connect()));
  return {
    connect,
    log: () => readFileSync(path.join(folder, 'gdx.log'), 'utf8'),
    stop: () => nginx.end('SIGQUIT'),
  };
}

test('the shipped nginx takes a request in whole, limits the connections of an address, and logs no phone', async () => {
  const asked: string[] = [];
  const server = createHttpServer(
    (req, res) => {
      asked.push(`${req.method} ${req.url} ${req.headers['x-forwarded-for']}`);
      res.end('ok');
    },
    { trustedProxies: 1, ofAddress: 1 },
  );
  const { port } = await serveHere(server);
  const nginx = await startNginx(port);
  open.forEach((socket) => socket.destroy());

  const slow = await nginx.connect();
  slow.write(
    'POST /sharing/phone HTTP/1.1\r\nHost: gdx.example.com\r\nContent-Length: 2\r\nX-Forwarded-For: 6.6.6.6\r\n\r\na',
  );
  const link = await nginx.connect();
  link.write('GET /subscriptions?phone=7015550142 HTTP/1.1\r\nHost: gdx.example.com\r\n\r\n');
  await once(link, 'data');
  expect(asked).toEqual(['GET /subscriptions?phone=7015550142 127.0.0.1']); // nothing of the slow one yet
  slow.write('b');
  await once(slow, 'data');
  expect(asked[1]).toBe('POST /sharing/phone 127.0.0.1');

  for (const outside of ['/ops', '/readyz', '/metrics']) {
    link.write(`GET ${outside} HTTP/1.1\r\nHost: gdx.example.com\r\n\r\n`);
    expect(String(((await once(link, 'data')) as [Buffer])[0])).toMatch(/^HTTP\/1.1 404 /);
  }

  // nginx counts a connection once it has the headers of a request.
  const held: (() => string)[] = [];
  for (let one = 0; one <= OF_ADDRESS; one++) {
    const socket = await nginx.connect();
    let said = '';
    socket.on('data', (chunk: Buffer) => (said += chunk.toString()));
    socket.write('POST /sharing/phone HTTP/1.1\r\nHost: gdx.example.com\r\nContent-Length: 2\r\n\r\na');
    held.push(() => said);
  }
  await eventually(() => expect(held.filter((said) => said().startsWith('HTTP/1.1 429 '))).toHaveLength(1));
  expect(asked).toHaveLength(2);
  expect(nginx.log()).not.toContain('7015550142');
  expect(nginx.log()).toContain('GET /subscriptions 200');
  await nginx.stop();
}, 60_000);
