import { readFileSync } from 'node:fs';
import path from 'node:path';
import { checkout } from '../../tools/local/checkout';
import { MADE, madePages } from '../../tools/docs/make-docs';

const read = (page: string) => readFileSync(path.join(checkout, page), 'utf8');

test.each(['docs/records.md', 'docs/operator.md'])(
  '%s is as the code says it: its comment has the command that makes it',
  async (page) => expect(read(page)).toBe((await madePages())[page]),
);

test('docs/operator.md has the table of commands', () =>
  expect(MADE.exec(read('docs/operator.md'))?.[0]).toContain('| `gdx channel list` | all channels |'));
