/** One small mistake in the code, and the test that has to notice it. */
export interface PlantedFault {
  /** How it is asked for on the command line. */
  name: string;
  file: string;
  /** Text that the file holds exactly once. */
  find: string;
  replace: string;
  /** What would come of it in production. */
  consequence: string;
  /** The test file, and a part of the full title of the test in it. */
  test: { path: string; name: string };
  /** The test runs what `npm run build` has made of the file, such as the bundle of the workflows, and not its source. */
  bundled?: true;
}

/** The text of a fault is not in its file exactly once: the code has moved on, and the fault has to follow. */
export class NotPlantable extends Error {
  override name = 'NotPlantable';
}

/**
 * @param source the file as it is
 * @returns the file with the fault
 * @throws NotPlantable
 */
export function plant(source: string, { name, file, find, replace }: PlantedFault): string {
  const places = source.split(find).length - 1;
  if (places !== 1) throw new NotPlantable(`${name}: ${file} holds its text ${places} times instead of once`);
  return source.replace(find, () => replace);
}
