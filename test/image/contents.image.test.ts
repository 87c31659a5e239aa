import { readFileSync } from 'node:fs';
import path from 'node:path';
import { checkout } from '../../tools/local/checkout';
import { runTool } from '../setup/run-tool';
import { runContainer } from './containers';

const MEGABYTE = 1024 * 1024;

/** What `find` sees in /app, as the image's user. Not read-only, so that the image itself must forbid. */
async function find(...expression: string[]): Promise<string[]> {
  const command = ['/app', '-mindepth', '1', ...expression];
  const { out } = await runContainer({ command, options: ['--read-only=false', '--entrypoint', 'find'] });
  return out.split('\n').filter(Boolean);
}

test('the image holds the build and production packages, and nothing else', async () => {
  const top = ['LICENSE', 'dist', 'node_modules', 'package.json'];
  expect((await find('-maxdepth', '1', '-printf', '%f\n')).sort()).toEqual(top);
  const built = await find('-path', '/app/dist/*', '-type', 'f', '-printf', '%P\n');
  const downloads = ['gdx.mjs', 'gdx.mjs.sha256', 'gdx.mjs.version'].map((name) => `dist/downloads/${name}`);
  expect(built).toEqual(
    expect.arrayContaining(['dist/worker/workflows.bundle.js', 'dist/guide/guide/erp.html', ...downloads]),
  );
  expect(
    built.filter(
      (file) =>
        (!file.endsWith('.js') && !downloads.includes(file) && !file.startsWith('dist/guide/')) ||
        /^dist\/(tools|test)\b|\.test\.js$/.test(file),
    ),
  ).toEqual([]);
  const { packages } = JSON.parse(readFileSync(path.join(checkout, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean }>;
  };
  const installed = await find('-regex', '.*/node_modules/\\(@[^/]*/\\)?[^/@.][^/]*', '-printf', '%P\n');
  expect(installed).toContain('node_modules/koa');
  expect(installed.filter((name) => packages[name]?.dev)).toEqual([]);
});

test('what runs in it is the user 1000, who can change nothing in /app', async () => {
  const { out } = await runContainer({ command: ['-u'], options: ['--entrypoint', 'id'] });
  expect(out).toBe('1000\n');
  expect(await find('-writable')).toEqual([]);
});

test('it adds less than 300 MB to the image of Node', () => {
  const sizeOf = (image: string) =>
    Number(runTool(['docker', 'image', 'inspect', '--format', '{{.Size}}', image], { install: 'docker.io' }));
  const added = sizeOf(process.env.GDX_TEST_IMAGE!) - sizeOf(process.env.GDX_TEST_NODE_IMAGE!);
  expect(added / MEGABYTE).toBeLessThan(300);
});
