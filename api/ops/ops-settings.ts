import type { OutboundRule } from '../../domain/denied-address';

/** The settings that the pages of operators and customers need, and where customers' addresses may point. */
export interface OpsSettings extends OutboundRule {
  serviceName: string;
  publicUrl: string;
  /** Empty when unknown; then the pages show no links. */
  temporalUiUrl: string;
  temporalNamespace: string;
  /** Days that a customer's own actions are kept, like reports of failed deliveries. */
  retentionDays: number;
}
