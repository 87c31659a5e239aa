import type { Command } from 'commander';
import type { Store } from '../../store/store';
import { CliError } from '../cli-error';
import type { Connections } from '../connections';
import { note, printFacts, printJson } from '../print';
import { recordChange } from '../record-change';
import { describeIntegration, findIntegration, requireIntegration } from '../require-stored';
import { confirmRotate, keepMs, rotateOptions, type RotateOptions, tokensBefore } from '../token-options';

export function integrationRotateCommand(group: Command, connections: Connections): void {
  rotateOptions(group.command('rotate'))
    .description('create a new token for an ERP, printed once; the previous one stays valid for a while')
    .argument('<integration>', 'its id')
    .action(async (id: string, options: RotateOptions) => {
      const integration = await findIntegration(connections, id);
      const holder = describeIntegration(integration);
      await confirmRotate(options, 'token', holder);
      const before = tokensBefore(integration);
      const change = {
        action: 'integration rotate',
        channel: null,
        about: holder,
        before,
        reason: options.reason,
      } as const;
      const { token, old_token_ends_at } = await recordChange(connections, change, (store) =>
        rotate(store, id, keepMs(options)),
      );
      note('The token is shown only once: put it into the ERP now.');
      const answer = { id, token, old_token_ends_at };
      if (options.json) printJson(answer);
      else printFacts(answer);
    });

  async function rotate(store: Store, id: string, keep: number) {
    const { rotateToken } = await import('../../store/callers/integrations.js');
    const { TwoTokensLive } = await import('../../store/callers/live-tokens.js');
    const rotated = await rotateToken(store, id, keep).catch((error: unknown) => {
      if (!(error instanceof TwoTokensLive)) throw error;
      throw new CliError(error.message, `end it now by \`gdx integration revoke ${id} --old\``);
    });
    return requireIntegration(rotated, id);
  }
}
