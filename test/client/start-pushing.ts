import { randomInt } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Ended, startNode } from '../setup/processes';
import { temporaryFolder } from '../setup/temporary-folder';
import { gdxHere } from '../cli/gdx-here';
import { serveHere } from '../setup/serve-here';

/** Of a machine that is none of the service's. */
export const ELSEWHERE = {
  MONGODB_URI: 'mongodb://127.0.0.1:1',
  TEMPORAL_ADDRESS: '127.0.0.1:1',
  NODE_ENV: 'production',
};

/** An ERP's machine: a folder, and `gdx push` that knows nothing but the service's address and a token. */
export function startPushing(url: string, token: string) {
  const folder = temporaryFolder('push');
  const env = { ...process.env, ...ELSEWHERE, GDX_TOKEN: token };
  const at = (name: string) => path.join(folder, name);
  const argsOf = (args: string[]) => ['dist/cli/main.js', 'push', '--url', url, ...args];
  const checkpointOf = (name: string) => at(`.gdx-push/${name}.json`);
  return {
    folder,
    at,
    write(name: string, content: string | Buffer | object): string {
      const isRaw = typeof content === 'string' || Buffer.isBuffer(content);
      writeFileSync(at(name), isRaw ? content : JSON.stringify(content));
      return at(name);
    },
    /** In this process. */
    async push(...args: string[]): Promise<Ended> {
      const { exitCode, stdout, stderr } = await gdxHere(argsOf(args).slice(1), env);
      return { code: exitCode, out: stdout, err: stderr };
    },
    start: (...args: string[]) => startNode(argsOf(args), env),
    /** The most memory that a process has had so far (Linux; elsewhere 0). */
    megabytes(pid: number): number {
      const status = existsSync(`/proc/${pid}/status`) ? readFileSync(`/proc/${pid}/status`, 'utf8') : '';
      return Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
    },
    hasCheckpoint: (name: string) => existsSync(checkpointOf(name)),
    /** Batches that are known to be stored. */
    batchesDone(name: string): number {
      if (!existsSync(checkpointOf(name))) return 0;
      return (JSON.parse(readFileSync(checkpointOf(name), 'utf8')) as { batches: number }).batches;
    },
    /** Pushes a file with kill -9 again and again, each after 1 to `apart` more batches. @returns how often */
    async pushKilled(name: string, args: string[], kills: number, apart = 1): Promise<number> {
      let killed = 0;
      for (; killed < kills; killed++) {
        const running = this.start(at(name), ...args);
        const due = this.batchesDone(name) + randomInt(1, apart + 1);
        const isOver = () => running.child.exitCode !== null;
        while (!isOver() && this.batchesDone(name) < due) await sleep(2);
        await sleep(randomInt(0, 60));
        if (isOver()) break;
        await running.end('SIGKILL');
      }
      return killed;
    },
  };
}

export type Pushing = ReturnType<typeof startPushing>;

/** Stands before the service and spoils answers: `lost` after it was stored, `busy` before it was passed on. */
export async function startUnreliable(port: number, spoil: (count: number) => 'lost' | 'busy' | undefined) {
  let count = 0;
  const server = createServer((incoming, outgoing) => {
    const trouble = incoming.method === 'POST' ? spoil(++count) : undefined;
    if (trouble === 'busy') return void outgoing.writeHead(503, { 'retry-after': '1' }).end('<h1>busy</h1>');
    const { method, url, headers } = incoming;
    const passed = request({ host: '127.0.0.1', port, method, path: url, headers }, (answer) => {
      if (trouble === 'lost') return void outgoing.destroy();
      outgoing.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(passed);
  });
  return { url: (await serveHere(server)).url, posts: () => count };
}
