import { withoutEndSlashes } from '../domain/text/without-end-slashes';

/** The address of a workflow's page in the Temporal UI; undefined when the UI's address is unknown. */
export function workflowLink(
  { temporalUiUrl, temporalNamespace }: { temporalUiUrl: string; temporalNamespace: string },
  id: string,
  runId?: string,
): string | undefined {
  if (!temporalUiUrl) return undefined;
  const parts = ['namespaces', temporalNamespace, 'workflows', id, ...(runId ? [runId] : [])];
  return `${withoutEndSlashes(temporalUiUrl)}/${parts.map(encodeURIComponent).join('/')}`;
}
