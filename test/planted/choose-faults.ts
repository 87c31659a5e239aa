import type { PlantedFault } from './planted-fault';

/**
 * The faults of these names, or all where there are none.
 * @throws Error that says which name is unknown
 */
export function faultsNamed(faults: PlantedFault[], names: string[]): PlantedFault[] {
  const unknown = names.filter((name) => !faults.some((fault) => fault.name === name));
  if (unknown.length > 0) throw new Error(`no fault ${unknown.join(', ')}; --list names them all`);
  return names.length === 0 ? faults : faults.filter(({ name }) => names.includes(name));
}

/** The faults whose source or test is among these files. */
export const faultsOf = (faults: PlantedFault[], files: Set<string>): PlantedFault[] =>
  faults.filter(({ file, test }) => files.has(file) || files.has(test.path));
