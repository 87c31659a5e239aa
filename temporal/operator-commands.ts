import { SearchAttributeType } from '@temporalio/common';
import { searchAttributes } from '../workflows/messages';

/** The reports in `deliveries` outlive it (docs/operator.md). */
export const RETENTION_DAYS = 90;

/** What an operator may choose where there are many channels (docs/deploy.md#sizes); a server's own default is a day or three. */
export const LEAST_RETENTION_DAYS = 7;

/** The commands for an operator where the service lacks the permission. */
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
