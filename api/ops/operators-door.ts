import { timeNow } from '../../domain/time/elapsed';
import { refusedBy } from '../../domain/settings/access';
import { noteTokenUse } from '../../store/callers/token-use';
import {
  findOperatorSession,
  openOperatorSession,
  operatorSessions,
} from '../../store/sessions/page-sessions';
import { findOperatorByToken, roleOf } from '../../store/callers/operators';
import type { Door } from '../channel/door';
import { OPS, wayOn } from './paths';

/** The operators' way in, to every channel. */
export const OPERATORS_DOOR: Door = {
  via: '/ops',
  people: 'operators',
  holder: 'operator',
  cookie: 'gdx-ops',
  paths: { ...OPS, home: OPS.channels },
  wayOn,
  async open(store, token, ip) {
    const operator = await findOperatorByToken(store, token);
    if (!operator || refusedBy(operator.access, ip, timeNow())) return null;
    // Nobody waits for this (docs/contract.md A15).
    noteTokenUse(store, operator.token_hash).catch(() => undefined);
    return { cookie: await openOperatorSession(store, operator), who: operator.name };
  },
  async find(store, cookie, ip) {
    const found = await findOperatorSession(store, cookie, ip);
    if (!found) return null;
    const { session, operator } = found;
    return { session, by: operator.name, mayAct: roleOf(operator) === 'operate' };
  },
  close: operatorSessions.close,
  keep: operatorSessions.keep,
  take: operatorSessions.take,
};
