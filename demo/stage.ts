import type { Client } from '@temporalio/client';
import type { CustomerProcess } from './customer-process';

/** What runs while the story is told. */
export interface Stage {
  apiUrl: string;
  /** For `gdx` and every other process: where the parts are. */
  env: NodeJS.ProcessEnv;
  temporal: Client;
  /** The namespace in the Temporal UI; undefined when a Temporal was given and nobody said where its UI is. */
  uiUrl: string | undefined;
  customer: CustomerProcess;
  /** A second customer, for what farmers share. */
  lender: CustomerProcess;
  /** Rejects when a process dies that should not. */
  died: Promise<never>;
}

export const SLUG = 'acme';
export const CUSTOMER_NAME = 'Acme Crop Insurance';
export const LENDER = { slug: 'bank', name: 'Heartland Farm Bank' };
export const COMPANY = { id: '42', name: 'Prairie Co-op' };
export const PAGE_SIZE = 1_000;
/** No step of the story takes longer, on the slowest machine it was tried on, by far. */
export const PATIENCE_MS = 60_000;
