import assert from 'node:assert/strict';
import { EXIT } from '../../client/cli-error';
import type { Findings } from './findings';
import { PUBLIC_ADDRESS } from './own-network';
import { gdx } from './service';
import type { ProductionStage } from './stage';

const REFUSED = [
  'https://127.0.0.1:8443',
  'https://localhost:8443',
  'https://[::1]:8443',
  'https://10.0.0.5',
  'https://169.254.169.254',
  `http://${PUBLIC_ADDRESS}:8443`,
  `https://${PUBLIC_ADDRESS}:9443`,
];

/** Where no customer is: this machine, private networks, no TLS, other ports. */
export async function checkRefusals({ settings }: ProductionStage, findings: Findings): Promise<void> {
  for (const url of REFUSED)
    await findings.that(`gdx refuses ${url}`, async () => {
      const { code, err } = await gdx(
        settings,
        'channel',
        'add',
        'evil',
        '--name',
        'Evil',
        '--base-url',
        url,
        '--all-companies',
      );
      assert.deepEqual([code, err.trim() !== ''], [EXIT.usage, true], `ended with ${code}: ${err}`);
      return err
        .trim()
        .replace(/^gdx: the base URL /, '')
        .replace(/; correct .*/, '');
    });
}
