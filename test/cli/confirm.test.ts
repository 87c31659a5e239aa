import { PassThrough } from 'node:stream';
import { confirm } from '../../cli/confirm';

function ask(typed: string | undefined, isTTY = true) {
  const input = Object.assign(new PassThrough(), { isTTY });
  const output = new PassThrough();
  if (typed === undefined) input.end();
  else input.write(`${typed}\n`);
  return confirm('Go on?', { input, output } as never);
}

it.each(['y', 'Y', 'yes', ' y '])('goes on after %j', async (typed) => {
  await expect(ask(typed)).resolves.toBeUndefined();
});

it.each(['', 'n', 'yep', 'no', undefined])('changes nothing after %j', async (typed) => {
  await expect(ask(typed)).rejects.toThrow('nothing was changed');
});

it('asks nobody where there is no terminal', async () => {
  await expect(ask(undefined, false)).resolves.toBeUndefined();
});
