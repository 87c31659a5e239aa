import type { Middleware } from 'koa';
import { isLoopback } from '../../domain/unsafe-settings';
import { isForwarded } from '../http/caller-address';
import { FarmerPageError } from './farmer-page-error';
import type { FarmerDeps } from './farmer-state';

/** Where codes are shown on the screen, they prove nothing. A browser on another machine then gets no page (421). */
export function ownMachineOnly({ sender, farmer }: FarmerDeps): Middleware {
  return async (ctx, next) => {
    if (sender.showsCodes && (isForwarded(ctx) || !isOurs(ctx.get('Host'), farmer.publicUrl)))
      throw new FarmerPageError('elsewhere');
    await next();
  };
}

const isOurs = (host: string, publicUrl: string) =>
  host === new URL(publicUrl).host || isLoopback(host.replace(/:\d+$/, '').replace(/[[\]]/g, ''));
