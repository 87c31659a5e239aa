/** How activities reach the workflows of channels. The worker gives them its client (temporal/channel-client.ts). */
export interface ChannelWorkflows {
  /** Starts a channel's workflow if it is missing. @returns whether Temporal accepted it */
  ensureRunning(slug: string, cadenceMs: number): Promise<boolean>;
  /** The slugs with a running workflow. @throws when Temporal is away */
  runningChannels(): Promise<string[]>;
  /** Cancels the workflow of a channel that is gone. @throws when Temporal is away */
  stop(slug: string): Promise<void>;
  /** The channel's settings have changed. @returns whether Temporal accepted the signal */
  settingsChanged(slug: string, reason: string): Promise<boolean>;
}
