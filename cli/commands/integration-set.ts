import type { Command } from 'commander';
import type { Connections } from '../connections';
import { passFieldChanges, passFieldOptions, type PassFieldOptions } from '../pass-field-options';
import { note, printFacts, printJson } from '../print';
import { recordChange } from '../record-change';
import { describeIntegration, findIntegration, requireIntegration } from '../require-stored';
import {
  accessChanges,
  accessFacts,
  accessOptions,
  type AccessOptions,
  nothingToChange,
} from '../token-options';

type Options = AccessOptions & PassFieldOptions;

export function integrationSetCommand(group: Command, connections: Connections): void {
  passFieldOptions(accessOptions(group.command('set')))
    .description(
      'bind the tokens of an ERP to a time and to addresses, or lift that; declare which of its own fields name nobody',
    )
    .argument('<integration>', 'its id')
    .action(async (id: string, options: Options) => {
      const access = accessChanges(options);
      if (!access && !options.passField && !options.withholdField)
        throw nothingToChange(', or --pass-field tickets.our_note');
      const integration = await findIntegration(connections, id);
      const { listPassedFields, setPassedFields } = await import('../../store/sharing/passed-fields.js');
      const { setAccess } = await import('../../store/channels/set-access.js');
      const pass_fields = (await listPassedFields(await connections.store())).get(id) ?? [];
      const fields = passFieldChanges(options, pass_fields);
      const change = {
        action: 'integration set',
        channel: null,
        about: describeIntegration(integration),
        before: { ...accessFacts(integration.access), pass_fields },
        reason: options.reason,
      } as const;
      const { set, passed } = await recordChange(connections, change, async (store) => ({
        set: access ? requireIntegration(await setAccess(store, id, access), id) : integration,
        passed: fields && (await setPassedFields(store, integration, fields)),
      }));
      const channels = passed?.channels ?? [];
      if (channels.length > 0) note(whatToDo(channels));
      const answer = { id, ...accessFacts(set.access), pass_fields: passed?.fields ?? pass_fields };
      if (options.json) printJson({ ...answer, channels });
      else printFacts(answer);
    });
}

/** No digest tells a customer: it compares versions, and no record has changed. */
const whatToDo = (channels: readonly string[]) =>
  `The next page of ${channels.join(', ')} follows this. What these customers hold stays as it was sent; to send it ` +
  'again: `gdx resend <channel> <type> <ids...>`, or all of a type: ' +
  '`gdx marker reset <channel> <type> --timestamp 2016-01-01T00:00:00Z`.';
