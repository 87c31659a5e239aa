import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { checkout } from '../../tools/local/checkout';
import { closeAtEnd, type Lifetime } from './close-at-end';

export interface Ended {
  code: number;
  out: string;
  err: string;
}

/** Runs `node <args>` to its end. */
export const runNode = (
  args: string[],
  env: NodeJS.ProcessEnv,
  meddle?: (child: ChildProcess) => void,
): Promise<Ended> => runProgram(process.execPath, args, env, meddle);

/** Runs any program to its end. */
export function runProgram(
  program: string,
  args: string[],
  env: NodeJS.ProcessEnv,
  meddle?: (child: ChildProcess) => void,
): Promise<Ended> {
  return new Promise((resolve) => {
    const child = execFile(program, args, { cwd: checkout, env }, (_, out, err) =>
      resolve({ code: child.exitCode ?? -1, out, err }),
    );
    child.stdin?.end();
    meddle?.(child);
  });
}

export type NodeProcess = ReturnType<typeof startNode>;

/** `node <args>` until it is ended, at the latest when the test or file that has started it is over. */
export const startNode = (args: string[], env: NodeJS.ProcessEnv, cwd?: string, of?: Lifetime) =>
  startProgram(process.execPath, args, env, cwd, of);

/** Any program until it is ended, likewise. */
export function startProgram(
  program: string,
  args: string[],
  env: NodeJS.ProcessEnv,
  cwd = checkout,
  of?: Lifetime,
) {
  const child = spawn(program, args, { cwd, env });
  const lines: string[] = [];
  let said = () => {};
  for (const input of [child.stdout, child.stderr])
    createInterface({ input }).on('line', (line) => {
      lines.push(line);
      said();
    });
  const ended = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | NodeJS.Signals);
  const end = (signal: NodeJS.Signals = 'SIGTERM') => {
    child.kill(signal);
    return ended;
  };
  closeAtEnd(() => end('SIGKILL'), of);
  return {
    child,
    /** All that it has written. */
    lines,
    /** Its exit code, or the signal that ended it. */
    ended,
    /** @returns the first line with this text, as soon as it is there */
    async heard(text: string): Promise<string> {
      for (;;) {
        const line = lines.find((each) => each.includes(text));
        if (line !== undefined) return line;
        const more = new Promise<void>((resolve) => (said = resolve));
        const over = await Promise.race([more, ended]);
        if (over !== undefined) throw new Error(`${args.join(' ')} ended with ${over}: ${lines.join('\n')}`);
      }
    },
    end,
  };
}

export type Service = Awaited<ReturnType<typeof startService>>;

const READY = { api: 'ready', worker: 'worker ready' };

/** The built API or worker on any free ports; resolves when it has said that it is ready, or what is given. */
export async function startService(
  name: 'api' | 'worker',
  env: NodeJS.ProcessEnv,
  until = READY[name],
  of?: Lifetime,
) {
  const settings = { ...process.env, PORT: '0', GDX_METRICS_PORT: '0', LOG_LEVEL: 'info', ...env };
  const service = startNode([`dist/${name}/main.js`], settings, undefined, of);
  await service.heard(`"msg":"${until}"`);
  const urlOf = (msg: string) => {
    const line = service.lines.find((each) => each.includes(`"msg":"${msg}"`)) ?? '{}';
    const { address } = JSON.parse(line) as { address?: AddressInfo };
    return `http://127.0.0.1:${address?.port}`;
  };
  return { ...service, url: urlOf('listening'), metricsUrl: urlOf('metrics') };
}
