import type { Command } from 'commander';
import { deliveriesList } from '../../control/list-deliveries';
import type { Envelope } from '../envelope';
import { listCommand } from '../list-command';

export const deliveriesCommands = (noun: Command, envelope: Envelope): void =>
  listCommand(noun, deliveriesList, envelope);
