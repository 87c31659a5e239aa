import type { Consent } from '../../store/consent/consents';

type Answer = Date | 'shared' | undefined;

/** Sees what a customer reads of what it is to delete, and what it says: nobody may say more. */
export class DeletionWitness {
  /** By request: the account that the customer says it has deleted; null where it reads the list. */
  private readonly requests = new Map<string, string | null>();
  private readonly answers = new Map<string, Answer>();

  /** @returns the id of the request */
  begins(account: string | null): string {
    const request = `customer's ${this.requests.size + 1}`;
    this.requests.set(request, account);
    return request;
  }

  answered(request: string, answer: Answer): void {
    this.answers.set(request, answer);
  }

  /** What the ledger says and the customer did not, and what it was answered and the ledger does not say. */
  wrong(ledger: Consent[]): string[] {
    const unsaid = ledger.filter(({ act, account, request_id }) => {
      const said = this.requests.get(request_id);
      if (act === 'deletion_confirmed') return said !== account;
      return act === 'deletion_asked' && said !== null && said !== account;
    });
    const confirmed = ledger.filter(({ act }) => act === 'deletion_confirmed');
    const unheard = [...this.answers].filter(([request, answer]) => {
      const account = this.requests.get(request);
      const isWritten = confirmed.some(({ request_id }) => request_id === request);
      if (account === null) return false;
      return answer instanceof Date ? !confirmed.some((one) => one.account === account) : isWritten;
    });
    return [
      ...unsaid.map(({ act, account, request_id }) => `${act} of ${account} by ${request_id}`),
      ...unheard.map(([request, answer]) => `${request} was answered ${String(answer)}`),
    ];
  }
}
