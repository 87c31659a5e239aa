import { keysOf } from '../setup/keys-of';
import { eventually } from '../setup/eventually';
import { runContainer, startContainer } from './containers';
import { productionSettings } from './image-settings';

test.each([['api'], ['worker'], ['migrate'], ['gdx', 'doctor']])(
  '%s %s: without settings it exits 78 and names what is missing',
  async (...command) => {
    const { code, out, err } = await runContainer({ command });
    expect(code).toBe(78);
    expect(out + err).toMatch(/MONGODB_URI must be set.*GDX_\w+_KEY must be set/);
  },
);

test('an unknown role exits 2 and names the roles; gdx is there', async () => {
  expect(await runContainer({ command: ['bash'] })).toMatchObject({
    code: 2,
    err: expect.stringContaining('api, worker, gdx, migrate'),
  });
  expect(await runContainer({ command: ['gdx', '--help'] })).toMatchObject({
    code: 0,
    out: expect.stringContaining('Usage: gdx'),
  });
});

test('api and worker wait for `migrate`, then serve, are healthy, and end with 0', async () => {
  const settings = await productionSettings();
  const roles = { api: 'ready', worker: 'worker ready' };
  for (const role of ['api', 'worker'] as const) {
    const { code, out, err } = await runContainer({ command: [role], settings: keysOf(role, settings) });
    expect([code, out + err]).toEqual([78, expect.stringContaining('run `gdx migrate`')]);
  }
  for (const [args, says] of [
    [['--dry-run'], 'would apply migration 1'],
    [[], 'applied migration 1'],
    [[], 'nothing to do'],
  ] as const)
    expect(await runContainer({ command: ['migrate', ...args], settings })).toMatchObject({
      code: 0,
      out: expect.stringContaining(says),
    });
  expect(await runContainer({ command: ['health'], settings })).toMatchObject({ code: 1 });
  for (const role of ['api', 'worker'] as const) {
    const options = ['--health-interval', '2s'];
    const container = startContainer({ command: [role], settings: keysOf(role, settings), options });
    await container.heard(`"msg":"${roles[role]}"`);
    await eventually(async () => expect(await container.health()).toBe('healthy'));
    const metrics = await (await fetch(`http://127.0.0.1:${settings.GDX_METRICS_PORT}/metrics`)).text();
    expect(metrics).toMatch(role === 'worker' ? /^temporal_/m : /^gdx_mongodb_up/m);
    expect([await container.stop(), container.lines]).toEqual([0, expect.any(Array)]);
  }
});
