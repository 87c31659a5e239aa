import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from '../../deploy/local/free-port';
import { eventually } from '../setup/eventually';
import type { LedgerEntry } from './ledger';
import type { PusherOrders } from './pusher';

const ROOT = path.join(__dirname, '../..');

export interface ApiProcess {
  url: string;
  child: ChildProcess;
}

/** The built API as a process of its own; resolves when it takes pushes. */
export async function startApiProcess(mongodbUri: string, taskQueue: string): Promise<ApiProcess> {
  const port = await freePort();
  const env = {
    ...process.env,
    MONGODB_URI: mongodbUri,
    GDX_TASK_QUEUE: taskQueue,
    PORT: String(port),
    LOG_LEVEL: 'warn',
  };
  const child = spawn(process.execPath, ['dist/api/main.js'], {
    cwd: ROOT,
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const url = `http://127.0.0.1:${port}`;
  await eventually(async () => {
    const { ok } = await fetch(`${url}/readyz`);
    if (!ok) throw new Error('not ready');
  });
  return { url, child };
}

/** A pusher as a process of its own. @returns its ledger, when its time is over and its last push is answered */
export async function runPusher(orders: PusherOrders): Promise<LedgerEntry[]> {
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', 'test/torture/pusher.ts', JSON.stringify(orders)],
    {
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const exit = once(child, 'exit');
  const ledger: LedgerEntry[] = [];
  for await (const line of createInterface(child.stdout!)) ledger.push(JSON.parse(line) as LedgerEntry);
  const [code] = (await exit) as [number];
  if (code !== 0) throw new Error(`pusher ${orders.name} ended with ${code}`);
  return ledger;
}
