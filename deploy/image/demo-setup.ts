import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { environment } from '../../config';
import { Erp, type Item, type PushedType } from '../../demo/erp';
import { generateCompany } from '../../sample/generate-elevator-company';

// The demo's operator and ERP: an integration, a channel to the demo's customer, a company's records, deliver now.

const GDX = path.join(__dirname, '..', '..', 'cli', 'main.js');
const API = environment['GDX_DEMO_API_URL'] ?? 'http://api:3000';
const CUSTOMER = environment['GDX_DEMO_CUSTOMER_URL'] ?? 'http://demo-customer:8090';
const TYPES: PushedType[] = ['elevators', 'accounts', 'contracts', 'tickets', 'settlements'];

async function main(): Promise<void> {
  const { token } = await gdx('integration', 'add', '--company-id', '42', '--company', 'Prairie Co-op');
  await gdx('channel', 'add', 'acme', '--name', 'Acme Crop Insurance', '--base-url', CUSTOMER);
  const company = generateCompany({ seed: 2026, accounts: 120, tickets: 2_500 });
  const items = TYPES.flatMap((type) => company[type].map((record): Item => [type, record]));
  await new Erp(API, token as string).push(items, (records, ms) =>
    say(`pushed ${records} records in ${ms} ms`),
  );
  await gdx('channel', 'deliver', 'acme');
  say('acme gets them now: see the log of demo-customer, and the Temporal UI');
}

async function gdx(...args: string[]): Promise<Record<string, unknown>> {
  const { stdout } = await promisify(execFile)(process.execPath, [GDX, ...args, '--json']);
  return JSON.parse(stdout) as Record<string, unknown>;
}

const say = (line: string) => process.stdout.write(`${line}\n`);

main().catch((error: Error & { stderr?: string }) => {
  process.stderr.write(`${error.stderr || error.message}\n`);
  process.exitCode = 1;
});
