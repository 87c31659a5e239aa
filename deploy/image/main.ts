// One image, its first argument says what it is: `api`, `worker`, `gdx ...`, `migrate ...` or `health`.

const [node = '', self = '', role = '', ...rest] = process.argv;

const ROLES: Record<string, () => Promise<unknown>> = {
  api: () => import('../../api/main.js'),
  worker: () => import('../../worker/main.js'),
  gdx: () => gdx(rest),
  migrate: () => gdx(['migrate', ...rest]),
  health: () => import('./health.js'),
};

function gdx(args: string[]): Promise<unknown> {
  process.argv = [node, self, ...args];
  return import('../../cli/main.js');
}

const start = Object.hasOwn(ROLES, role) ? ROLES[role] : undefined;
if (start) void start();
else {
  process.stderr.write(`what to be: ${Object.keys(ROLES).join(', ')}\n`);
  process.exitCode = 2;
}
