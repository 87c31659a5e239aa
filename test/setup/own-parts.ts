import { type Parts, type PartsOptions, startParts } from '../../tools/local/start-parts';
import { closeAtEnd } from './close-at-end';

/** MongoDB and Temporal of a test's own, on any free ports, until it is over. A part whose address is given stays as it is. */
export async function ownParts(
  options: Partial<PartsOptions> & Pick<PartsOptions, 'dir' | 'namespace'>,
): Promise<Parts> {
  const parts = await startParts({ ports: 'any', log: () => undefined, ...options });
  closeAtEnd(async () => {
    for (const part of [parts.temporal, parts.mongo]) if (part.how !== 'given') await part.kill();
  });
  return parts;
}
