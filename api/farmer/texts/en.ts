import { englishLinkPages } from './en/link-pages';
import { englishMessages } from './en/messages';
import { englishProblemPages } from './en/problem-pages';
import { englishRecordWords } from './en/record-words';
import { englishSharingPages } from './en/sharing-pages';

/** Everything a farmer reads, in English. The other catalogs have the same keys, or they do not compile. */
export const en = {
  switchTo: 'Español',
  errorTitle: (title: string) => `Error: ${title}`,
  problem: 'There is a problem',
  continue: 'Continue',
  goBack: 'Back',
  tryAgain: 'Try again',
  leave: (customer: string) => `Leave without changes and go back to ${customer}`,
  testBanner: (code: string) => `Test system: no text is sent. The code is ${code}`,
  callFor: (contact: string) => `Need help? Contact ${contact}.`,

  pages: {
    sharing: 'Who sees my grain data',
    customer: 'For companies that get records',
    guide: 'Guides for engineers',
    docs: 'The reference for engineers',
    ops: 'For our staff',
  },
  signOut: 'Sign out',
  signedOut: {
    title: 'You are signed out',
    text: 'What you saved stays. You can close this page. To come back, open the link or page you came from.',
  },
  ...englishLinkPages,
  ...englishSharingPages,
  ...englishRecordWords,
  ...englishProblemPages,
  /** For the consent text. `entityTypes` has the words of its earlier versions. */
  what: {
    accounts: 'name and phone numbers',
    contracts: 'contracts',
    tickets: 'scale tickets (load, weights, grades, field, truck, driver)',
    settlements: 'settlements',
    more: 'all else that the grain company keeps on them, such as prices, payments, names of people, farm and insurance numbers, and its own notes',
    /** As the versions before 2026-11-29 said it. */
    moreBefore: 'anything else on them',
  },
  entityTypes: {
    accounts: 'Your accounts: name and phone numbers, as the grain company has them',
    contracts: 'Your grain contracts: commodity, quantities, prices and dates',
    tickets: 'Your scale tickets: each load with weights, grades and place',
    settlements: 'Your settlements: what you were paid, and what was deducted',
  },
  ...englishMessages,
};

export type Texts = typeof en;
