import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { request } from 'undici';
import { checkout, localDir } from '../../tools/local/checkout';
import { freePort } from '../../tools/local/free-port';
import type { OwnPart } from '../../tools/local/own-part';
import { awaitTool, runTool } from '../setup/run-tool';
import type { Bench } from './bench';
import { cpuSeconds } from './cpu-seconds';
import { databaseUri } from './open-bench-store';
import { BENCH_COMPANY } from './push-body';
import { startServiceProcess } from './start-service-process';

const OWN = { install: 'it comes with Node.js and git' };

/** A commit, built in a folder of its own, where it stays for the next run. @throws Error where git does not know it */
export function builtCheckout(ref: string, note: (line: string) => void): string {
  const sha = runTool(['git', '-C', checkout, 'rev-parse', '--verify', `${ref}^{commit}`], OWN).trim();
  const dir = path.join(localDir, 'bench', sha);
  if (existsSync(dir)) return dir;
  note(`building ${ref} in ${dir}`);
  const half = `${dir}.building`;
  rmSync(half, { recursive: true, force: true });
  mkdirSync(half, { recursive: true });
  const inHalf = { ...OWN, cwd: half };
  runTool(['sh', '-c', `git -C '${checkout}' archive ${sha} | tar -x`], inHalf);
  runTool(['npm', 'ci', '--prefer-offline'], inHalf);
  runTool(['npm', 'run', 'build'], inHalf);
  renameSync(half, dir);
  return dir;
}

/** How the commit's own docker-compose.yml starts a worker. */
function workerOptions(dir: string): string {
  const compose = readFileSync(path.join(dir, 'docker-compose.yml'), 'utf8');
  const [, options] = /NODE_OPTIONS: ([^}\n]*--max-semi-space-size=\d+)/.exec(compose) ?? [];
  if (!options) throw new Error(`${dir}/docker-compose.yml has no NODE_OPTIONS of a worker`);
  return options;
}

/** API and worker of one commit, on a database and in a namespace of their own, reached as those who use them do. */
export class ServiceOf {
  /** The key of each channel. */
  private readonly keys = new Map<string, string>();

  private constructor(
    private readonly dir: string,
    private readonly env: Record<string, string>,
    private readonly api: OwnPart,
    private readonly worker: OwnPart,
  ) {}

  static async start(bench: Bench, dir: string): Promise<ServiceOf> {
    const id = `gdx_bench_${randomBytes(4).toString('hex')}`;
    const env = {
      PORT: String(await freePort()),
      MONGODB_URI: databaseUri(bench.mongodbUri, id),
      TEMPORAL_ADDRESS: await bench.temporalAddress(),
      TEMPORAL_NAMESPACE: id,
      GDX_TASK_QUEUE: id,
    };
    const ofWorker = { ...env, LOG_LEVEL: 'info', NODE_OPTIONS: workerOptions(dir) };
    const worker = await startServiceProcess(bench, 'worker', ofWorker, 0, dir);
    const api = await startServiceProcess(bench, 'api', env, 0, dir);
    return new ServiceOf(dir, env, api, worker);
  }

  get pushUrl(): string {
    return `http://127.0.0.1:${this.env['PORT']}/api/v1/push`;
  }

  /** @returns the token of another integration */
  async addIntegration(): Promise<string> {
    const { id, name } = BENCH_COMPANY;
    const named = ['--company-id', id, '--company', name, '--name', randomUUID()];
    return (await this.gdx<{ token: string }>('integration', 'add', ...named)).token;
  }

  /** A channel of every record, which delivers at once all that there is, or from now on. */
  async addChannel(slug: string, baseUrl: string, types: string, since?: 'now'): Promise<void> {
    const made = ['--name', slug, '--delivery', 'push', '--base-url', baseUrl, '--all-companies'];
    const rest = ['--entities', types, ...(since ? ['--since', since] : [])];
    this.keys.set(
      slug,
      (await this.gdx<{ api_key: string }>('channel', 'add', slug, ...made, ...rest)).api_key,
    );
  }

  /** Records that it has not sent to a channel yet. */
  async pending(slug: string): Promise<number> {
    const markers = await this.call<{ data: { pending_records: number }[] }>(slug, 'GET', '');
    return markers.data.reduce((sum, { pending_records: pending }) => sum + pending, 0);
  }

  async reset(slug: string, type: string, timestamp: Date): Promise<void> {
    await this.call(slug, 'POST', `/${type}/reset`, { timestamp });
  }

  async push(authorization: string, body: string): Promise<void> {
    const headers = { authorization, 'content-type': 'application/json', 'x-request-id': randomUUID() };
    const answer = await request(this.pushUrl, { method: 'POST', headers, body });
    const text = await answer.body.text();
    if (answer.statusCode !== 204) throw new Error(`the push was answered ${answer.statusCode}: ${text}`);
  }

  /** Seconds of CPU so far. */
  cpu(of: 'api' | 'worker'): number {
    return cpuSeconds(this[of].pid!);
  }

  private async call<T>(slug: string, method: 'GET' | 'POST', below: string, body?: object): Promise<T> {
    const url = `http://127.0.0.1:${this.env['PORT']}/api/v1/channels/${slug}/markers${below}`;
    const headers = { authorization: this.keys.get(slug)!, 'content-type': 'application/json' };
    const answer = await request(url, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    const text = await answer.body.text();
    if (answer.statusCode >= 300) throw new Error(`${method} ${url} answered ${answer.statusCode}: ${text}`);
    return JSON.parse(text) as T;
  }

  private async gdx<T>(...args: string[]): Promise<T> {
    const command = [process.execPath, path.join(this.dir, 'dist/cli/main.js'), ...args, '--json'] as const;
    const env = { ...process.env, ...this.env };
    return JSON.parse(await awaitTool([...command], { ...OWN, cwd: this.dir, env })) as T;
  }
}
