import type { OpsSettings } from './visit';

/** A workflow's page in the Temporal UI, or undefined where its address is not known. */
export function workflowLink(
  { temporalUiUrl, temporalNamespace }: OpsSettings,
  id: string,
  runId?: string,
): string | undefined {
  if (!temporalUiUrl) return undefined;
  const parts = ['namespaces', temporalNamespace, 'workflows', id, ...(runId ? [runId] : [])];
  return `${temporalUiUrl.replace(/\/+$/, '')}/${parts.map(encodeURIComponent).join('/')}`;
}
