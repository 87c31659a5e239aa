import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { checkout } from '../../tools/local/checkout';
import { temporaryFolder } from '../setup/temporary-folder';

// A package that somebody has taken over runs first where it is installed. With .npmrc it does not, whichever npm it is.

test('of what npm installs here, no script runs', () => {
  const folder = temporaryFolder('install-scripts');
  const at = (name: string) => path.join(folder, name);
  const { PATH, HOME } = process.env; // and none of the settings that npm hands down
  const env = { PATH, HOME, MARK: at('ran') };
  const npm = (cwd: string, ...args: string[]) =>
    spawnSync('npm', [...args, '--offline'], { cwd, env, encoding: 'utf8' });
  mkdirSync(at('taken-over'));
  const scripts = { postinstall: "node -e \"require('fs').writeFileSync(process.env.MARK, '')\"" };
  const own = { name: 'taken-over', version: '1.0.0', scripts };
  writeFileSync(at('taken-over/package.json'), JSON.stringify(own));
  npm(at('taken-over'), 'pack', '--pack-destination', folder);
  mkdirSync(at('clone'));
  cpSync(path.join(checkout, '.npmrc'), at('clone/.npmrc'));
  writeFileSync(at('clone/package.json'), JSON.stringify({ name: 'clone', version: '1.0.0' }));
  expect(npm(at('clone'), 'install', at('taken-over-1.0.0.tgz'))).toMatchObject({ status: 0 });
  expect([existsSync(at('clone/node_modules/taken-over')), existsSync(at('ran'))]).toEqual([true, false]);
});

// Why each that has one does without it.
const DO_WITHOUT = {
  '@parcel/watcher': 'jest’s own watching, whose program comes as a package for each platform',
  '@scarf/scarf': 'counts installations',
  '@swc/core': 'looks whether its program is there, which comes as a package for each platform',
  esbuild: 'saves the start of a process: its program comes as a package for each platform',
  protobufjs: 'says that a version has not the usual form',
  'unrs-resolver': 'fetches its program where npm has left out optional packages',
};

test('each dependency with an install script is known, with the reason why it does without', () => {
  const { packages } = JSON.parse(readFileSync(path.join(checkout, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { hasInstallScript?: true; optional?: true }>;
  };
  const having = Object.entries(packages)
    .filter(([, { hasInstallScript, optional }]) => hasInstallScript && !optional)
    .map(([folder]) => folder.split('node_modules/').at(-1)!);
  expect([...new Set(having)].sort()).toEqual(Object.keys(DO_WITHOUT).sort());
});
