import { SearchAttributeType } from '@temporalio/common';
import { searchAttributes } from '../workflows/messages';

/** How long Temporal keeps closed workflows. The reports in `deliveries` are kept longer (docs/operator.md). */
export const RETENTION_DAYS = 90;

/**
 * The shortest retention that an operator may choose, for many channels (docs/deploy.md#sizes). The defaults
 * of servers are shorter: one day, or three.
 */
export const LEAST_RETENTION_DAYS = 7;

/** The command with which an operator creates the namespace, if the service is not permitted to. */
export const createNamespace = (namespace: string) =>
  `temporal operator namespace create --namespace ${namespace} --retention ${RETENTION_DAYS}d`;

export const updateRetention = (namespace: string) =>
  `temporal operator namespace update --namespace ${namespace} --retention ${RETENTION_DAYS}d`;

export function createSearchAttributes(namespace: string, names: string[]): string {
  const types = Object.values(searchAttributes).map(({ name, type }) => [name, type] as const);
  const wanted = types
    .filter(([name]) => names.includes(name))
    .map(([name, type]) => `--name ${name} --type ${type === SearchAttributeType.INT ? 'Int' : 'Keyword'}`);
  return `temporal operator search-attribute create --namespace ${namespace} ${wanted.join(' ')}`;
}
