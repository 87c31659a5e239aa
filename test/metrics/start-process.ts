import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';

interface Line {
  msg: string;
  address?: AddressInfo;
}

const children: ChildProcess[] = [];
afterAll(() => children.forEach((child) => child.kill('SIGKILL')));

export type Process = Awaited<ReturnType<typeof startProcess>>;

/** The built API or worker as a process of its own, on any free ports; resolves when a line says `until`. */
export async function startProcess(name: 'api' | 'worker', env: NodeJS.ProcessEnv, until: string) {
  const main = path.join(__dirname, '../../dist', name, 'main.js');
  const child = spawn(process.execPath, [main], {
    env: { ...process.env, PORT: '0', GDX_METRICS_PORT: '0', LOG_LEVEL: 'trace', ...env },
  });
  children.push(child);
  const lines: string[] = [];
  const ports: Record<string, number> = {};
  await new Promise<void>((ready, failed) => {
    const hear = (text: string) => {
      lines.push(text);
      if (!text.startsWith('{')) return;
      const { msg, address } = JSON.parse(text) as Line;
      if (address) ports[msg] = address.port;
      if (msg === until) ready();
    };
    createInterface({ input: child.stdout }).on('line', hear);
    createInterface({ input: child.stderr }).on('line', hear);
    child.once('exit', (code) => failed(new Error(`${name} ended with ${code}: ${lines.join('\n')}`)));
  });
  return {
    /** All that it has written. */
    lines,
    url: `http://127.0.0.1:${ports['listening']}`,
    metricsUrl: `http://127.0.0.1:${ports['metrics']}`,
    child,
    async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
      if (child.exitCode !== null) return child.exitCode;
      const exit = once(child, 'exit');
      child.kill(signal);
      return ((await exit) as [number | null])[0];
    },
  };
}
