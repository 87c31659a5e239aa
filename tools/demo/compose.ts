import { execFile, spawn } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { environment } from '../../config';
import { generateCompany } from '../sample/generate-elevator-company';
import { DemoErp, type Item, type PushedType } from './demo-erp';

// docker-compose's profile `demo`: an operator, an ERP and a customer, which is docs/samples/receiver.mjs.

const CHECKOUT = path.join(__dirname, '..', '..', '..');
const GDX = path.join(CHECKOUT, 'dist', 'cli', 'main.js');
const RECEIVER = path.join(CHECKOUT, 'docs', 'samples', 'receiver.mjs');
const API = environment['GDX_DEMO_API_URL'] ?? 'http://api:3000';
const CUSTOMER = environment['GDX_DEMO_CUSTOMER_URL'] ?? 'http://demo:9000';
const TYPES: PushedType[] = ['elevators', 'accounts', 'contracts', 'tickets', 'settlements'];

async function main(): Promise<void> {
  const isNew = !(await gdx('channel', 'list')).data.some(({ slug }) => slug === 'acme');
  const channel = isNew
    ? await gdx(
        'channel',
        'add',
        'acme',
        '--name',
        'Acme Crop Insurance',
        '--base-url',
        CUSTOMER,
        '--all-companies',
      )
    : await gdx('channel', 'rotate-secret', 'acme', '--now'); // the previous one cannot be read
  receive(channel.signing_secret);
  if (isNew) await pushCompany();
  await gdx('channel', 'deliver', 'acme');
  say('acme gets its records now: each page is a line below, and a row in the Temporal UI');
}

function receive(secret: string): void {
  const settings = { SIGNING_SECRET: secret, PORT: new URL(CUSTOMER).port, HELD: '/tmp/held.json' };
  const receiver = spawn(process.execPath, [RECEIVER], {
    env: { ...environment, ...settings },
    stdio: 'inherit',
  });
  receiver.once('exit', (code) => process.exit(code ?? 0));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => receiver.kill(signal));
}

async function pushCompany(): Promise<void> {
  const { token } = await gdx('integration', 'add', '--company-id', '42', '--company', 'Prairie Co-op');
  const company = generateCompany({ seed: 2026, accounts: 120, tickets: 2_500 });
  const items = TYPES.flatMap((type) => company[type].map((record): Item => [type, record]));
  await new DemoErp(API, token).push(items, (records, ms) => say(`pushed ${records} records in ${ms} ms`));
}

interface Printed {
  token: string;
  signing_secret: string;
  data: { slug: string }[];
}

async function gdx(...args: string[]): Promise<Printed> {
  const { stdout } = await promisify(execFile)(process.execPath, [GDX, ...args, '--json']);
  return JSON.parse(stdout) as Printed;
}

const say = (line: string) => process.stdout.write(`${line}\n`);

main().catch((error: Error & { stderr?: string }) => {
  process.stderr.write(`${error.stderr || error.message}\n`);
  process.exit(1);
});
