import type { OperatorVerb } from '../../../store/operator-actions';

/** What is wrong with one field of one of a channel's forms. */
export interface FormProblem {
  form: OperatorVerb;
  field: string;
  message: string;
}

/** The id of a field: the forms of a page have fields of the same name. */
export const fieldId = (form: OperatorVerb, field: string) => `${form}-${field.replace('_', '-')}`;
