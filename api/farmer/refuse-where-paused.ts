import { SHARING_CODES } from '../../store/codes/code-activity';
import { areCodesPaused } from '../../store/codes/paused-codes';
import type { Asking } from '../limits/code-limits';
import { FarmerPageError } from './farmer-page-error';
import type { FarmerDeps } from './farmer-state';

/**
 * Where an operator has paused codes, none is sent or compared, but in browsers that have entered a right one before.
 * @throws FarmerPageError
 */
export async function refuseWherePaused(
  { store }: FarmerDeps,
  { device, channel = SHARING_CODES }: Asking,
  back: string,
): Promise<void> {
  if (!device && (await areCodesPaused(store, channel))) throw new FarmerPageError('paused', { back });
}
