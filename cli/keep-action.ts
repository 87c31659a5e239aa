import { randomUUID } from 'node:crypto';
import { userInfo } from 'node:os';
import type { OperatorAction } from '../store/operator-actions';
import type { Connections } from './connections';

type Done = Pick<OperatorAction, 'channel' | 'action' | 'reason'> & Partial<OperatorAction>;

/** Keeps what a verb has done to a channel, as /ops keeps its own: both show on the channel's page. */
export async function keepAction(connections: Connections, done: Done): Promise<void> {
  const { closeAction, openAction } = await import('../store/operator-actions.js');
  const store = await connections.store();
  const { outcome, ...action } = done;
  const _id = randomUUID();
  await openAction(store, { _id, about: '', by: userName(), via: 'gdx', request_id: _id, ...action });
  await closeAction(store, _id, outcome ?? 'done');
}

// A container's user may have no name.
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return 'unknown';
  }
}
