import { CHANNEL_WORKFLOW } from './operator-view';
import { say } from './terminal';

/** Pages of the Temporal UI. */
export interface Links {
  deliveries: string;
  delivery: string;
  channel: string;
}

/** `namespaceUrl`: `http://127.0.0.1:8233/namespaces/gdx-demo`. */
export function linksIn(namespaceUrl: string, delivery: string): Links {
  const workflow = (id: string) => `${namespaceUrl}/workflows/${encodeURIComponent(id)}`;
  return {
    deliveries: `${namespaceUrl}/workflows?query=${encodeURIComponent('WorkflowType="feedDelivery"')}`,
    delivery: workflow(delivery),
    channel: workflow(CHANNEL_WORKFLOW),
  };
}

export function sayLinks({ deliveries, delivery, channel }: Links, keep: boolean): void {
  say(`   In the Temporal UI${keep ? '' : ' (there to look at with `npm run demo -- --keep`)'}:`);
  for (const [what, link] of [
    ['every delivery', deliveries],
    ['the delivery that waited for its customer', delivery],
    ['the channel', channel],
  ] as const) {
    say(`   - ${what}:`);
    say(`     ${link}`);
  }
}
