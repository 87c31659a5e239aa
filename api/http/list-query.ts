import { MessageCollector } from '../../domain/records/validation-messages';
import { invalid } from './http-error';

/** Page sizes of lists that customers read. */
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

  limit(of: { default: number; max: number } = LIMIT): number {
    const parse = (text: string) =>
      /^\d{1,4}$/.test(text) && Number(text) >= 1 && Number(text) <= of.max ? Number(text) : undefined;
    return this.read('limit', parse, `must be a whole number from 1 to ${of.max}`) ?? of.default;
  }

  after<T>(parse: (text: string) => T | undefined): T | undefined {
    return this.read('after', parse, 'must be the `next` of an earlier answer');
  }

  /** @throws HttpError VALIDATION_ERROR with all validation messages */
  refuseIfWrong(): void {
    if (!this.found.empty) throw invalid(this.found.messages());
  }
}
