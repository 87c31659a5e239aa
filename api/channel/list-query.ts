import { MessageCollector } from '../../domain/validation-messages';
import { invalid } from '../http/http-error';

/** Page sizes of lists. */
export const LIMIT = { default: 50, max: 200 };

/** Reads a list's query parameter by parameter and collects the validation messages. */
export class ListQuery {
  private readonly found = new MessageCollector();

  constructor(private readonly given: Readonly<Record<string, unknown>>) {}

  read<T>(name: string, parse: (text: string) => T | undefined, message: string): T | undefined {
    const value = this.given[name];
    const parsed = typeof value === 'string' ? parse(value) : undefined;
    if (value !== undefined && parsed === undefined) this.found.add(name, message);
    return parsed;
  }

  limit(): number {
    return this.read('limit', parseLimit, `must be a whole number from 1 to ${LIMIT.max}`) ?? LIMIT.default;
  }

  after<T>(parse: (text: string) => T | undefined): T | undefined {
    return this.read('after', parse, 'must be the `next` of an earlier answer');
  }

  /** @throws HttpError VALIDATION_ERROR with all validation messages */
  refuseIfWrong(): void {
    if (!this.found.empty) throw invalid(this.found.messages());
  }
}

function parseLimit(text: string): number | undefined {
  const limit = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  return limit >= 1 && limit <= LIMIT.max ? limit : undefined;
}
