import path from 'node:path';
import { keepAlive } from '../../../tools/local/keep-alive';
import { OwnPart } from '../../../tools/local/own-part';
import { waitUntil } from '../../../tools/local/wait-until';
import { temporaryFolder } from '../../setup/temporary-folder';
import { nightlyTest } from '../../setup/cases';

const dir = temporaryFolder('keep-alive');

function nodePart(script: string): OwnPart {
  return new OwnPart({
    name: 'api',
    how: 'own',
    command: process.execPath,
    args: ['-e', script],
    cwd: dir,
    output: path.join(dir, 'api.log'),
    pidFile: path.join(dir, 'api.pid'),
    graceMs: 500,
    ready: () => Promise.resolve(),
    log: () => undefined,
  });
}

nightlyTest(
  'a part that dies is started again, with longer and longer pauses, until everything stops',
  async () => {
    const lines: string[] = [];
    const stopping = new AbortController();
    const part = nodePart('setInterval(() => {}, 1000)');
    await part.start();
    const kept = keepAlive(part, (line) => lines.push(line), stopping.signal);
    for (const pause of [1, 2]) {
      process.kill(part.pid!, 'SIGKILL');
      await waitUntil(async () => expect(lines.at(-1)).toBe('api runs again'), 60_000);
      expect(lines.at(-2)).toBe(`api ended (SIGKILL); starting it again in ${pause} s`);
      lines.length = 0;
    }
    stopping.abort();
    await part.stop();
    await kept;
    expect(lines).toEqual([]);
  },
);

test('a part that will not stop is killed after its grace', async () => {
  const part = nodePart(`process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); console.log('up')`);
  await part.start();
  await part.stop();
  expect(part.pid).toBeUndefined();
});

test('a program that is not there is a part that did not start', async () => {
  const part = new OwnPart({
    name: 'scale',
    how: 'own',
    command: 'no-such-program',
    args: [],
    cwd: dir,
    graceMs: 500,
    output: () => undefined,
    pidFile: path.join(dir, 'scale.pid'),
    log: () => undefined,
    ready: () => Promise.reject(new Error('not ready')),
  });
  await expect(part.start()).rejects.toThrow('scale did not start: spawn no-such-program ENOENT');
});
