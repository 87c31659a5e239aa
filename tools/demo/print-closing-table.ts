import { ENTITY_TYPES } from '../../domain/records/entity-types';
import type { Tallies } from './tally-records';
import { dim, green, red, say } from './terminal';

const COLUMNS = ['acknowledged', 'delivered', 'repeated', 'missing'] as const;

export function printClosingTable(
  tallies: Tallies,
  elevators: { acknowledged: number; stored: number },
): void {
  say('');
  say(dim(row('changes', [...COLUMNS])));
  for (const type of ENTITY_TYPES) {
    const tally = tallies[type];
    const fine = tally.missing === 0 && tally.repeated === tally.repeats_expected;
    const note =
      tally.repeats_expected > 0 ? ` (${tally.repeats_expected.toLocaleString('en-US')} by the reset)` : '';
    const cells = COLUMNS.map((column) => tally[column].toLocaleString('en-US'));
    say((fine ? green : red)(row(type, cells)) + dim(note));
  }
  const { acknowledged, stored } = elevators;
  say(
    dim(row('elevators', [`${acknowledged}`, '-', '-', `${acknowledged - stored}`]) + ' (stored, not fed)'),
  );
  say('');
}

const row = (name: string, cells: string[]) =>
  `   ${name.padEnd(12)}${cells.map((cell) => cell.padStart(14)).join('')}`;
