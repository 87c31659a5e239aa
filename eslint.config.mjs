import tseslint from 'typescript-eslint';

// Who may import what (docs/architecture.md). The message names the right place.
const places = {
  domain: 'domain is pure: it imports only itself',
  driver: 'MongoDB is spoken in store/ only: add the query there',
  koa: 'HTTP is served in api/ only',
  temporalClient: 'ring the bell (bell/) instead of using the Temporal client',
  environment: 'process.env is read in config.ts only: add the setting there',
  workflow:
    'workflows import types, pure rules of domain/ and themselves: what touches the world is an activity',
  activities: 'activities import domain/, store/ and themselves; of workflows/ only messages, as types',
  surface: 'api/ and cli/ import domain/, store/, bell/ and workflows/messages; config only in their main.ts',
};

const ban = (group, message, extra = {}) => ({ group, message, ...extra });
const anyOf = (...folders) => folders.flatMap((folder) => [`**/${folder}/**`, `**/${folder}`]);
const top = anyOf('api', 'cli', 'worker', 'demo', 'deploy', 'test', 'sample');
const driver = ban(['mongodb', 'mongodb/*', 'bson'], places.driver);
const koa = ban(['koa', 'koa-*', '@koa/*'], places.koa);
const client = ban(['@temporalio/client'], places.temporalClient);
const config = ban(['**/config'], places.surface);
const counting = ban(
  ['prom-client', ...anyOf('metrics')],
  'metrics/ counts for api/, activities/ and worker/; only it imports prom-client',
);

const imports = (files, ...patterns) => ({
  files,
  rules: { '@typescript-eslint/no-restricted-imports': ['error', { patterns }] },
});
const typesOnly = { allowTypeImports: true };

export default tseslint.config(
  { ignores: ['dist/', '.local/', 'node_modules/', 'deploy/compose/'] },
  ...tseslint.configs.strict,
  {
    languageOptions: {
      parserOptions: {
        projectService: { allowDefaultProject: ['*.mjs', '*.js', 'docs/samples/*.mjs', 'test/faults/*.mjs'] },
      },
    },
    rules: {
      '@typescript-eslint/no-invalid-void-type': 'off',
      // an index whose bounds the line before has settled
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-unused-vars': ['error', { varsIgnorePattern: '^_', ignoreRestSiblings: true }],
    },
  },
  {
    files: ['**/*.ts'],
    ignores: ['test/**'],
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: false }],
      'no-restricted-syntax': [
        'error',
        {
          selector: 'MemberExpression[object.name="process"][property.name="env"]',
          message: places.environment,
        },
        { selector: 'ExportAllDeclaration', message: 'no barrels: import from the file that has it' },
      ],
    },
  },
  { files: ['config.ts', 'docs/samples/**'], rules: { 'no-restricted-syntax': 'off' } },
  { files: ['**/*.js'], rules: { '@typescript-eslint/no-require-imports': 'off' } },

  imports(
    ['domain/**'],
    counting,
    driver,
    koa,
    ban(
      ['@temporalio/*', 'undici', 'pino', 'node:fs', 'node:http', 'node:net', 'node:child_process'],
      places.domain,
    ),
    ban([...top, ...anyOf('store', 'workflows', 'activities', 'bell'), '**/config'], places.domain),
  ),
  imports(
    ['store/**'],
    counting,
    koa,
    ban(['@temporalio/*', 'undici'], 'store/ speaks to MongoDB and to nothing else'),
    ban(
      [...top, ...anyOf('workflows', 'activities', 'bell'), '**/config'],
      'store/ imports domain/ and itself',
    ),
  ),
  imports(
    ['workflows/**'],
    counting,
    driver,
    koa,
    client,
    ban(['@temporalio/worker', '@temporalio/activity', 'node:*', 'ajv*', 'pino', 'undici'], places.workflow),
    ban([...top, ...anyOf('bell'), '**/config'], places.workflow),
    ban(anyOf('activities', 'store'), places.workflow, typesOnly),
  ),
  imports(
    ['activities/**'],
    ban(['mongodb', 'mongodb/*', 'bson'], places.driver, typesOnly),
    koa,
    ban(['@temporalio/client', '@temporalio/workflow', '@temporalio/worker'], places.activities),
    ban([...top, '**/config'], places.activities),
    ban(anyOf('workflows', 'bell'), places.activities, typesOnly),
  ),
  imports(
    ['bell/**'],
    counting,
    driver,
    koa,
    ban(
      [...top, ...anyOf('store', 'activities'), '**/config'],
      'bell/ rings, it knows only workflows/messages',
    ),
  ),
  imports(
    ['metrics/**'],
    driver,
    koa,
    ban(['@temporalio/*'], 'metrics/ counts, and reads store/'),
    ban(
      [...top, ...anyOf('workflows', 'activities', 'bell'), '**/config'],
      'metrics/ imports domain/, store/ and itself',
    ),
  ),
  {
    ...imports(
      ['api/**', 'cli/**'],
      driver,
      client,
      config,
      ban(['@temporalio/worker', '@temporalio/workflow', '@temporalio/activity'], places.surface),
      ban(
        [...anyOf('activities', 'worker', 'demo', 'test', 'sample'), '**/workflows/!(messages)'],
        places.surface,
      ),
    ),
  },
  imports(
    ['cli/**'],
    driver,
    client,
    koa,
    ban(anyOf('activities', 'worker', 'api', 'demo', 'test', 'sample'), places.surface),
  ),
  // The test page takes the way of every page, so that its answer means what it says.
  imports(
    ['cli/verbs/channel-test.ts'],
    driver,
    client,
    koa,
    config,
    { regex: '/activities/(?!customer/(send-page|create-agent)(\\.js)?$)', message: places.surface },
    ban([...anyOf('worker', 'api', 'demo', 'test', 'sample'), '**/workflows/!(messages)'], places.surface),
  ),
  imports(['api/main.ts', 'cli/main.ts'], driver),
  imports(
    ['worker/**'],
    driver,
    koa,
    ban(
      anyOf('api', 'cli', 'demo', 'deploy', 'test', 'sample'),
      'nothing of the worker depends on other processes',
    ),
  ),
  {
    files: ['test/**'],
    rules: { '@typescript-eslint/no-restricted-imports': 'off' },
  },
);
