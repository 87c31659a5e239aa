import { phoneOf } from '../../store/sessions/farmer-sessions';
import { countedAddress } from '../http/caller-address';
import type { Asking } from '../limits/code-limits';
import { deviceOf } from './device-cookie';
import type { FarmerDeps, SessionContext } from './farmer-state';

/** Who asks for a code to the session's phone, or enters one. */
export function askingOf(ctx: SessionContext, deps: FarmerDeps): Asking {
  const { session, channel } = ctx.state;
  const phone = phoneOf(deps.store, session);
  return {
    phone,
    address: countedAddress(ctx),
    channel: channel?._id,
    device: deviceOf(ctx, deps, phone),
    signed: session.link?.signed ?? false,
  };
}
