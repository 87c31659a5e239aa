import type { DeedName } from '../../../control/deed';
import type { Wrong } from '../actions';

/** The error of one field in one of a channel's forms. */
export interface FormProblem extends Wrong {
  form: DeedName;
}

/** The id of a field, unique on the page: its forms share field names. */
export const fieldId = (form: DeedName, field: string) => `${form}-${field.replaceAll('_', '-')}`;
