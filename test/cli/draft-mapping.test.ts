import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { draftMapping } from '../../cli/push/draft-mapping';
import { temporaryFolder } from '../setup/temporary-folder';

const folder = temporaryFolder('draft');

test('of two columns for one field the first gets it: no value replaces another unseen', async () => {
  const file = path.join(folder, 'd.csv');
  writeFileSync(file, 'ID;Net Weight;net_weight;Scale\nT-1;1;2;3\n');
  expect(await draftMapping(file, 'tickets')).toEqual({
    type: 'tickets',
    delimiter: ';',
    columns: { ID: 'id', 'Net Weight': 'net_weight', net_weight: null, Scale: null },
  });
});

test('a file that cannot be read is said with its path', async () => {
  await expect(draftMapping(folder, 'tickets')).rejects.toThrow(`${folder} cannot be read (EISDIR)`);
});
