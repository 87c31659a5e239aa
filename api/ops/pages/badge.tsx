import type { VNode } from 'preact';
import type { DeliveryStatus } from '../../../store/deliveries';
import type { Health } from '../channel-health';

// Each has a sign of its own: colour alone says nothing.
const SIGNS: Record<Health | DeliveryStatus, string> = {
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

export function Badge({ of: word }: { of: Health | DeliveryStatus }): VNode {
  return (
    <span class={`badge ${word}`}>
      <span aria-hidden="true">{SIGNS[word]}</span> {word}
    </span>
  );
}
