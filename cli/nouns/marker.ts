import type { Command } from 'commander';
import { markersList } from '../../control/list-markers';
import { reset } from '../../control/reset';
import { deedCommand } from '../deed-command';
import type { Envelope } from '../envelope';
import { listCommand } from '../list-command';

export function markerCommands(marker: Command, envelope: Envelope): void {
  listCommand(marker.command('show'), markersList, envelope);
  deedCommand(marker.command('reset'), reset, envelope);
}
