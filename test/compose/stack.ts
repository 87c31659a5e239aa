import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { checkout } from '../../tools/local/checkout';
import { eventually } from '../setup/eventually';
import { awaitTool } from '../setup/run-tool';
import type { Images } from './build-images';

const UP_MS = 600_000;

interface Inspected {
  Name: string;
  Config: { Image: string; User: string; Labels: Record<string, string> };
  HostConfig: { ReadonlyRootfs: boolean; CapDrop: string[] | null };
  State: { Status: string; ExitCode: number; Pid: number; Health?: { Status: string } };
}

/** docker-compose.yml as it is, with deploy/compose/demo.env; of the images those of others are replaced, and nothing else. */
export class Stack {
  private readonly override: string;
  private image: string;

  constructor(
    private readonly images: Images,
    folder: string,
  ) {
    this.image = images.before;
    this.override = path.join(folder, 'images.json');
    const services = Object.entries(images.parts).map(([service, image]) => [service, { image }]);
    writeFileSync(this.override, JSON.stringify({ services: Object.fromEntries(services) }));
  }

  /** As an operator raises `GDX_IMAGE` in `.env`. */
  takeTheNewImage(): void {
    this.image = this.images.now;
  }

  compose(...args: string[]): Promise<string> {
    const files = ['--file', 'docker-compose.yml', '--file', this.override];
    const options = ['--project-name', 'gdx', '--env-file', 'deploy/compose/demo.env'];
    return awaitTool(['docker-compose', ...files, ...options, ...args], {
      install: 'on Debian: apt-get install docker-compose',
      cwd: checkout,
      env: { ...process.env, GDX_IMAGE: this.image, GDX_OPERATOR: 'the test of docker-compose' },
    });
  }

  async gdx<T>(...args: string[]): Promise<T> {
    return JSON.parse(await this.compose('run', '--rm', '--no-deps', '-T', 'gdx', ...args, '--json')) as T;
  }

  /** What runs in a service's container, as `docker exec` has it. */
  async inside(service: string, ...command: string[]): Promise<string> {
    const { Name } = await this.one(service);
    return awaitTool(['docker', 'exec', Name, ...command], { install: 'docker.io' });
  }

  async all(): Promise<Map<string, Inspected>> {
    const ids = await awaitTool(
      ['docker', 'ps', '--all', '--quiet', '--filter', 'label=com.docker.compose.project=gdx'],
      {
        install: 'docker.io',
      },
    );
    const inspect = ['docker', 'inspect', ...ids.split('\n').filter(Boolean)] as const;
    const list = JSON.parse(await awaitTool([...inspect], { install: 'docker.io' })) as Inspected[];
    return new Map(
      list
        .filter(({ Config }) => Config.Labels['com.docker.compose.oneoff'] !== 'True')
        .map((each) => [each.Config.Labels['com.docker.compose.service']!, each]),
    );
  }

  async one(service: string): Promise<Inspected> {
    return (await this.all()).get(service)!;
  }

  /** Waits until whatever has a health check is healthy and every job has ended well. @returns what there is */
  async healthy(): Promise<Map<string, Inspected>> {
    return eventually(async () => {
      const all = await this.all();
      const amiss = [...all].filter(([, { State }]) => {
        const { Status, ExitCode, Health } = State;
        return Health
          ? Health.Status !== 'healthy' || Status !== 'running'
          : Status !== 'exited' || ExitCode !== 0;
      });
      if (amiss.length === 0 && all.size > 0) return all;
      throw new Error(
        amiss.map(([name, { State }]) => `${name} is ${State.Health?.Status ?? State.Status}`).join(', '),
      );
    }, UP_MS);
  }
}
