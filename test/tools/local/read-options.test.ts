import { runNode } from '../../setup/processes';
import { first, scaledTest } from '../../setup/cases';

const SCRIPTS = ['tools/local', 'tools/demo', 'test/bench'].map((dir) => `dist/${dir}/main.js`);
const USAGE = 'npm (start|run \\w+ -- \\[.*\\])\\n( .+\\n)+$';

scaledTest.each(first(1, SCRIPTS))('%s says how it is called, and starts nothing', async (script) => {
  const { code, out, err } = await runNode([script, '--help'], process.env);
  expect([code, err]).toEqual([0, '']);
  expect(out).toMatch(new RegExp(`^${USAGE}`));
});

scaledTest.each(first(1, SCRIPTS))('%s refuses an option that there is not', async (script) => {
  const { code, out, err } = await runNode([script, '--nonsense'], process.env);
  expect([code, out]).toEqual([2, '']);
  expect(err).toMatch(new RegExp(`^Unknown option '--nonsense'\\n${USAGE}`));
});
