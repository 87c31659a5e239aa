import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { PlantedFault } from './planted-fault';
import { readFaults } from './read-faults';

const LISTS = path.join(__dirname, 'faults');

export const FAULTS: PlantedFault[] = readdirSync(LISTS).flatMap((list) =>
  readFaults(readFileSync(path.join(LISTS, list), 'utf8'), list),
);
