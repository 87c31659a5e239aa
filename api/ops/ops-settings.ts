/** The settings that the pages of operators and customers need. */
export interface OpsSettings {
  serviceName: string;
  publicUrl: string;
  production: boolean;
  /** Empty when unknown; then the pages show no links. */
  temporalUiUrl: string;
  temporalNamespace: string;
  /** Days that a customer's own actions are kept, like reports of failed deliveries. */
  retentionDays: number;
}
