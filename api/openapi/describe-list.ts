import { Type } from '@sinclair/typebox';
import { maybe } from '../../control/answers';
import type { AnyList } from '../../control/list';
import { LIMIT } from '../http/list-query';
import { CHANNEL } from '../http/route';
import { json, type Operation, query } from './operation';

/** The parameters of a list that is read part by part. */
export const PAGE_BY_PAGE = [
  query('limit', 'How many.', Type.Integer({ minimum: 1, maximum: LIMIT.max, default: LIMIT.default })),
  query('after', 'The `next` of the answer before.', Type.String()),
];

/** The member that says where a list continues. */
export const NEXT = maybe('Pass it as `after` to go on; null at the end.');

/** The operation of a list, by its line in the table of routes. */
export function describeList({ api, filters, cursor }: AnyList): Record<string, Operation> {
  const { id, tag, path, summary, schema, says, sample } = api;
  const kinds = Object.entries(filters).map(([name, { schema: kind }]) => query(name, 'Only these.', kind));
  const parameters = [...kinds, ...(cursor ? PAGE_BY_PAGE : [])];
  return {
    [`GET ${CHANNEL}${path}`]: {
      ...{ id, tag, summary },
      ...(parameters.length > 0 && { parameters }),
      answers: { 200: json(says, schema, { data: [sample], ...(cursor && { next: null }) }) },
    },
  };
}

/** The schema of its answer, by name: of each only what customers are told. */
export function listSchemaOf({ api, members, cursor }: AnyList) {
  const told = Object.entries(members).flatMap(([name, { told: schema }]) =>
    schema ? [[name, schema]] : [],
  );
  const data = Type.Array(Type.Object(Object.fromEntries(told)), { description: api.says });
  return { [api.schema]: Type.Object({ data, ...(cursor && { next: NEXT }) }) };
}
