import type { Command } from 'commander';
import type { Connections } from '../connections';
import { Failure } from '../failure';
import { findIntegration } from '../find-integration';
import { note } from '../note';
import { printFacts } from '../print-facts';
import { printJson } from '../print-json';
import { requireIntegration } from '../require-integration';
import { confirmRotate, keepMs, rotateOptions, type RotateOptions } from '../token-options';

export function integrationRotate(group: Command, connections: Connections): void {
  rotateOptions(group.command('rotate'))
    .description('a new token for an ERP, printed this once; the one before lives on for a while')
    .argument('<integration>', 'its id')
    .action(async (id: string, options: RotateOptions) => {
      const { name, company } = await findIntegration(connections, id);
      await confirmRotate(options, 'token', `${name} of ${company.name}`);
      const { token, old_token_ends_at } = await rotate(id, keepMs(options));
      note('The token is shown this once: put it into the ERP now.');
      const answer = { id, token, old_token_ends_at };
      if (options.json) printJson(answer);
      else printFacts(answer);
    });

  async function rotate(id: string, keep: number) {
    const { rotateToken } = await import('../../store/integrations.js');
    const { TwoTokensLive } = await import('../../store/live-tokens.js');
    const rotated = await rotateToken(await connections.store(), id, keep).catch((error: unknown) => {
      if (!(error instanceof TwoTokensLive)) throw error;
      throw new Failure(error.message, `end it now by \`gdx integration revoke ${id} --old\``);
    });
    return requireIntegration(rotated, id);
  }
}
