import type { VNode } from 'preact';
import type { DeliveryStatus } from '../../../../store/feed/deliveries';
import type { HealthStatus } from '../channel-health';

// Each has its own symbol, since colour alone is not accessible.
const SIGNS: Record<HealthStatus | DeliveryStatus, string> = {
  failing: '✕',
  paused: '‖',
  stale: '!',
  healthy: '✓',
  failed: '✕',
  delivered: '✓',
  running: '…',
  superseded: '→',
  resized: '÷',
};

export function Badge({ of: word }: { of: HealthStatus | DeliveryStatus }): VNode {
  return (
    <span class={`badge ${word}`}>
      <span aria-hidden="true">{SIGNS[word]}</span> {word}
    </span>
  );
}
