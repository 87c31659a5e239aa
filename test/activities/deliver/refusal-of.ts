import type { SetAside } from '../../../store/deliveries/set-aside';
import { SLUG } from '../../setup/stand';

/** A refusal of a ticket. */
export const refusalOf = (record: string): Omit<SetAside, '_id' | 'at'> => ({
  ...{ channel: SLUG, entity_type: 'tickets', record: `42-${record}`, position: 1 },
  ...{ failure: 'refused', status: 422, answer: '', delivery: 'test' },
});
