import { dayInZone } from '../../../../domain/consent/grant-end';
import type { Stopped } from '../../../../store/sessions/farmer-sessions';
import { english } from './words';

const { day, momentIn, listed, count } = english;

/** What was chosen, and who sees it. */
export const englishSharingPages = {
  receipt: {
    title: 'What you chose',
    to: 'With',
    phone: (ending: string) => `Phone number ending in ${ending}`,
    now: 'Shared now',
    nothing: 'nothing',
    history: 'What you chose, in order',
    acts: {
      grant: 'Shared',
      refusal: 'Not shared',
      revoke: 'Stopped',
      deletion_asked: 'We offered them our request to delete it',
      deletion_confirmed: 'They told us that they have deleted it',
    },
    byEnd: 'By itself, after the last day that you had chosen',
    byOperator: (reason: string) => `By our staff: ${reason}`,
    agreed: 'You may stop at any time. We cannot check what a receiver deletes.',
  },
  sharing: {
    title: 'Who sees my grain data',
    why: 'See who gets your grain records. Stop what you share.',
    intro: (ending: string) =>
      `These companies get records of the accounts that have the phone number ending in ${ending}.`,
    nobody: (ending: string) =>
      `Nobody gets records of accounts that have the phone number ending in ${ending} through this service.`,
    since: 'Shared since',
    until: (last: string) => `The last day is ${day(last)}`,
    sent: { before: 'Last sent', never: 'Nothing sent since then' },
    sentToAny: { before: 'Last sent, of any customer:', never: 'Nothing sent yet' },
    others: (endings: string[]) =>
      `Shared from the number ending in ${endings.join(', ')}. You can stop it too.`,
    more: (accounts: number) => `And ${count(accounts)} more.`,
    byCompany: (companies: string[]) =>
      `They get the records of all customers of ${listed.format(companies)}, yours too. You cannot stop that here. Ask ${listed.format(companies)}.`,
    stop: (customer: string) => `Stop sharing with ${customer}`,
    stopAccount: 'Stop sharing this account',
    all: 'All of them',
    allHelp: 'This stops all that is shared in this list.',
    stopAll: 'Stop all sharing',
    past: 'You no longer share with',
    ask: {
      title: 'Stop sharing?',
      text: 'You will stop sharing these accounts:',
      yes: 'Yes, stop sharing',
      no: 'No, keep sharing',
    },
    stopped: ({ account, customers, references }: Stopped) =>
      `You have stopped sharing ${account === undefined ? '' : `${account} `}with ${customers.join(', ')}. Reference: ${references.join(', ')}.`,
    copy: {
      title: 'Get my copy',
      page: (customer: string) => `What we sent to ${customer} about your accounts. Once an hour at most.`,
      read: 'Read or print it',
      table: 'Spreadsheet (CSV)',
      file: 'File for programs (JSON)',
      code: 'It holds a lot about you. So we first send a new code, to be sure that it is still you.',
      tooSoon: (at: string) => `The next copy is ready from ${at} on.`,
      empty: 'Nothing was sent: there is no copy.',
    },
    closed: (customer: string, at: string) =>
      `We closed the link to ${customer} on ${at}. It gets nothing more from us.`,
    ended: (at: string) => `Not shared since ${at}`,
    asked: (at: string) => `Our request to delete what it has was offered to it on ${at}. No answer yet.`,
    confirmed: (customer: string, at: string) =>
      `On ${at} ${customer} told us that it has deleted it. We cannot check that.`,
    notAsked: (customer: string) =>
      `${customer} still gets this account through another link or person, so we do not ask it to delete it.`,
    beyond: (customer: string) => `We cannot stop what ${customer} has passed on.`,
    on: (at: Date, zone: string | undefined) => day(dayInZone(at, zone)),
    day,
    at: (at: Date, zone: string | undefined) => (zone ? momentIn(zone).format(at) : day(dayInZone(at, zone))),
  },
};
