import { HttpError } from '../http/http-error';

/**
 * Reads a form by the rules of the API.
 * @param names what the fields are called on the page
 * @returns what was read, or the first field that is wrong, and why
 */
export function byTheRules<T extends object>(
  names: Record<string, string>,
  read: () => T,
): T | { field: string; message: string } {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof HttpError) || !error.validation_messages) throw error;
    const [field, messages] = Object.entries(error.validation_messages)[0]!;
    const message = `${names[field]} ${messages[0]}`;
    return { field, message: message.replace('The entity type this', 'This') };
  }
}
