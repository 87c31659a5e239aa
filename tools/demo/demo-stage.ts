import type { Client } from '@temporalio/client';
import type { DemoCustomer } from './demo-customer';

/** The running parts of the demo. */
export interface DemoStage {
  apiUrl: string;
  /** The environment of `gdx` and the other processes. */
  env: NodeJS.ProcessEnv;
  temporal: Client;
  /** The namespace in the Temporal UI; undefined when the UI of a given Temporal is unknown. */
  uiUrl: string | undefined;
  customer: DemoCustomer;
  /** A second customer, for what farmers share. */
  lender: DemoCustomer;
  /** Rejects when a process dies that should not. */
  died: Promise<never>;
}

export const CUSTOMER_SLUG = 'acme';
export const CUSTOMER_NAME = 'Acme Crop Insurance';
export const LENDER = { slug: 'bank', name: 'Heartland Farm Bank' };
export const DEMO_COMPANY = { id: '42', name: 'Prairie Co-op' };
export const DEMO_PAGE_SIZE = 1_000;
/** Far more than any step takes on a slow machine. */
export const STEP_TIMEOUT_MS = 60_000;
