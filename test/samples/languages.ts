import { spawnSync } from 'node:child_process';
import path from 'node:path';
import type { Signed } from './mailbox';

export interface SampleLanguage {
  name: string;
  /** Says its version when it is installed. */
  probe: [program: string, ...args: string[]];
  run: [program: string, ...args: string[]];
}

const sample = (file: string) => path.join(__dirname, '../../docs/samples', file);

/** As the customer's guide says to run each. */
export const SAMPLE_LANGUAGES: SampleLanguage[] = [
  {
    name: 'Node.js',
    probe: [process.execPath, '--version'],
    run: [process.execPath, sample('verify-signature.cjs')],
  },
  { name: 'Python', probe: ['python3', '--version'], run: ['python3', sample('verify-signature.py')] },
  { name: 'Go', probe: ['go', 'version'], run: ['go', 'run', sample('verify-signature.go')] },
  { name: 'Java', probe: ['java', '-version'], run: ['java', sample('verify-signature.java')] },
  { name: 'C#', probe: ['dotnet', '--version'], run: ['dotnet', 'run', sample('verify-signature.cs')] },
];

/** The same by the public key alone. */
export const V1A_LANGUAGES: SampleLanguage[] = [
  {
    name: 'Node.js, v1a',
    probe: [process.execPath, '--version'],
    run: [process.execPath, sample('verify-v1a.cjs')],
  },
  { name: 'Go, v1a', probe: ['go', 'version'], run: ['go', 'run', sample('verify-v1a.go')] },
];

/** What the sample prints of a page, and what it ends with. @param key the signing secret, or the public key */
export function verify({ run: [program, ...args] }: SampleLanguage, key: string, page: Signed) {
  const { id, timestamp, signature, body } = page;
  // Nothing is downloaded: the samples use what the language brings.
  const env = { ...process.env, SIGNING_SECRET: key, PUBLIC_KEY: key, GOPROXY: 'off', GOTOOLCHAIN: 'local' };
  const ended = spawnSync(program, [...args, id, timestamp, signature], {
    input: body,
    env,
    encoding: 'utf8',
  });
  return { said: ended.stdout.trim(), exitCode: ended.status };
}
