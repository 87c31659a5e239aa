import type { ActionName, Wrong } from '../actions';

/** The error of one field in one of a channel's forms. */
export interface FormProblem extends Wrong {
  form: ActionName;
}

/** The id of a field, unique on the page: its forms share field names. */
export const fieldId = (form: ActionName, field: string) => `${form}-${field.replaceAll('_', '-')}`;
