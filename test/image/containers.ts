import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { type Ended, runProgram, startProgram } from '../setup/processes';

/** No rights, as in docker-compose.yml and on Kubernetes. The parts listen on the loopback of this machine. */
const AS_DEPLOYED = [
  ...['--network', 'host', '--read-only', '--tmpfs', '/tmp'],
  ...['--cap-drop', 'ALL', '--security-opt', 'no-new-privileges'],
];
const started: string[] = [];
afterAll(() => spawnSync('docker', ['rm', '--force', ...started]));

interface Container {
  /** What the image is told to be, and its arguments. */
  command: string[];
  /** The settings that it is given, and no others. */
  settings?: Record<string, string>;
  image?: string | undefined;
  options?: string[];
}

const docker = (...args: string[]) => runProgram('docker', args, process.env);

function argumentsOf(name: string, { command, settings = {}, image, options = [] }: Container) {
  started.push(name);
  const env = Object.entries(settings).flatMap(([setting, value]) => ['--env', `${setting}=${value}`]);
  return [
    'run',
    '--rm',
    '--name',
    name,
    ...AS_DEPLOYED,
    ...options,
    ...env,
    image ?? process.env.GDX_TEST_IMAGE!,
    ...command,
  ];
}
const newName = () => `gdx-test-${randomUUID().slice(0, 8)}`;

/** `docker run` to its end. */
export const runContainer = (container: Container): Promise<Ended> =>
  docker(...argumentsOf(newName(), container));

/** `docker run` until it is stopped, at the latest when the tests of the file are over. */
export function startContainer(container: Container) {
  const name = newName();
  const { lines, heard, ended } = startProgram('docker', argumentsOf(name, container), process.env);
  return {
    lines,
    heard,
    /** What the image's own health check says. */
    async health(): Promise<string> {
      return (await docker('inspect', '--format', '{{.State.Health.Status}}', name)).out.trim();
    },
    /** As docker-compose does. @returns the exit code of what has run inside */
    async stop() {
      await docker('stop', '--time', '45', name);
      return ended;
    },
  };
}
