import type { Wrong } from '../actions';

/** The error of one field in one of a channel's forms. */
export interface FormProblem extends Wrong {
  form: string;
}

/** The id of a field, unique on the page: its forms share field names. */
export const fieldId = (form: string, field: string) => `${form}-${field.replaceAll('_', '-')}`;
