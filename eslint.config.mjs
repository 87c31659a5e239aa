import regexp from 'eslint-plugin-regexp';
import tseslint from 'typescript-eslint';
import house from './tools/lint/house-rules.mjs';

export default tseslint.config(
  { ignores: ['dist/', '.local/', 'node_modules/', 'deploy/compose/'] },
  ...tseslint.configs.strict,
  {
    languageOptions: {
      parserOptions: { projectService: true },
    },
    rules: {
      '@typescript-eslint/no-invalid-void-type': 'off',
      // the only form that is the module itself with every compiler
      '@typescript-eslint/no-require-imports': ['error', { allowAsImport: true }],
      // an index whose bounds the line before has settled
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-unused-vars': ['error', { varsIgnorePattern: '^_', ignoreRestSiblings: true }],
    },
  },
  {
    files: ['**/*.{ts,tsx}'],
    ignores: ['test/**'],
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: false }],
      'no-restricted-syntax': [
        'error',
        {
          selector: 'MemberExpression[object.name="process"][property.name="env"]',
          message:
            'process.env is read in config.ts only: add the setting to domain/settings/all-settings.ts',
        },
        {
          selector: 'CallExpression[callee.name="fetch"]',
          message:
            'requests are sent by outbound/send-request: fetch refuses answers and ports that are right',
        },
        { selector: 'ExportAllDeclaration', message: 'no barrels: import from the file that has it' },
      ],
    },
  },
  // No request and no customer's answer may hold up a process for seconds. A command that somebody runs reads their own files.
  {
    files: ['**/*.{ts,tsx,mjs,js}'],
    ignores: ['test/**', 'tools/**', 'cli/**', 'client/**'],
    plugins: { regexp },
    rules: {
      'regexp/no-super-linear-backtracking': 'error',
      'regexp/no-super-linear-move': ['error', { report: 'certain', ignoreSticky: true }],
    },
  },
  // Names of others reach a terminal through print.ts alone, which writes signs that turn or hide text as escapes.
  {
    files: ['cli/**', 'client/**'],
    // envelope.ts asks its question, escaped, where it reads the answer.
    ignores: ['client/print.ts', 'client/push/progress.ts', 'cli/envelope.ts'],
    rules: {
      'no-restricted-properties': [
        'error',
        ...['stdout', 'stderr'].map((property) => ({
          object: 'process',
          property,
          message: 'what a command prints goes through client/print.ts',
        })),
        ...['log', 'info', 'warn', 'error'].map((property) => ({
          object: 'console',
          property,
          message: 'what a command prints goes through client/print.ts',
        })),
      ],
    },
  },
  { files: ['config.ts', 'docs/samples/**'], rules: { 'no-restricted-syntax': 'off' } },
  {
    files: ['**/*.mjs', '**/*.js', '**/*.cjs'],
    languageOptions: { parserOptions: { projectService: false } },
  },
  { files: ['**/*.js', '**/*.cjs'], rules: { '@typescript-eslint/no-require-imports': 'off' } },

  // Who may import what: tools/lint/import-table.mjs.
  {
    files: ['**/*.ts', '**/*.tsx'],
    plugins: { house },
    rules: {
      'house/import-table': 'error',
      'house/no-circles': 'error',
      'house/one-name': 'error',
      'house/body-at-once': 'error',
    },
  },
  // A workflow's clock is Temporal's, and is the same in every replay.
  {
    files: ['**/*.ts', '**/*.tsx'],
    ignores: ['test/**', 'tools/**', 'workflows/**', 'domain/time/elapsed.ts'],
    plugins: { house },
    rules: { 'house/stepping-clock': 'error' },
  },
  // What the processes of the service store, they compare with each other.
  {
    files: ['{activities,api,control,customer,metrics,store,worker}/**/*.{ts,tsx}'],
    plugins: { house },
    rules: { 'house/one-clock': 'error' },
  },
);
