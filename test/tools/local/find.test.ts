import { existsSync, readFileSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { downloadProgram } from '../../../tools/local/download-program';
import { findMongo } from '../../../tools/local/find-mongo';
import { askVersion, firstThatAnswers } from '../../../tools/local/program';
import { temporaryFolder } from '../../setup/temporary-folder';

const dir = temporaryFolder('find');

describe('a chain', () => {
  const missing = () => askVersion('no-such-program', 'path');
  const node = () => askVersion('node', 'path');

  test('ends at the first link that answers', async () => {
    await expect(firstThatAnswers([missing, node], 'Install it')).resolves.toMatchObject({
      how: 'path',
      kind: 'node',
      version: process.versions.node,
    });
  });

  test('says what to install and what was tried when no link answers', async () => {
    await expect(firstThatAnswers([missing], 'Install it')).rejects.toThrow(
      'Install it\nTried:\n  - no-such-program is not on PATH',
    );
  });

  test('never opens data with another program than the one that wrote it', async () => {
    const finding = findMongo(() => undefined, 'a database of old');
    await expect(finding).rejects.toThrow('The data here was written by a database of old');
  });
});

describe('a download', () => {
  const lines: string[] = [];
  const attempt = (script: string) =>
    downloadProgram({ program: 'scale', size: 'small', script }, (line) => lines.push(line), dir);
  const fails = 'console.error("no route"); process.exit(1)';
  const works = `const file = process.argv[1] + '/scale-1.0';
    require('node:fs').writeFileSync(file, 'weighs'); console.log(file)`;

  test('that fails is not tried again for a day', async () => {
    await expect(attempt(fails)).rejects.toThrow('the download of scale failed: no route');
    await expect(attempt(works)).rejects.toThrow('the download of scale failed within the last day');
    expect(lines).toEqual([
      'fetching scale (small, once) ...',
      'no download of scale here; not tried again for a day',
    ]);
  });

  test('is kept once it worked', async () => {
    const yesterday = Date.now() / 1_000 - 25 * 3_600;
    utimesSync(path.join(dir, 'scale.failed'), yesterday, yesterday);
    const file = await attempt(works);
    expect(readFileSync(file, 'utf8')).toBe('weighs');
    expect(existsSync(`${file}.partial`)).toBe(false);
    await expect(attempt(fails)).resolves.toBe(file);
  });
});
