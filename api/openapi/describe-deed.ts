import { Type } from '@sinclair/typebox';
import type { AnyDeed, Field } from '../../control/deed';
import { CHANNEL } from '../http/route';
import { inPath, type Operation, query, withExamples } from './operation';

const fieldsOf = ({ input }: AnyDeed) => Object.entries<Field<unknown>>(input);

const DRY_RUN = query('dry_run', 'true: answers the same and changes nothing.', Type.Boolean());

/** The operation of a deed, by its line in the table of routes. */
export function describeDeed(row: AnyDeed): Record<string, Operation> {
  const { id, tag, path, summary, description, body, answer } = row.api!;
  const [bodySchema, bodySays, bodySamples] = body;
  const [answerSchema, answerSays, answerSamples] = answer;
  const inPaths = fieldsOf(row).flatMap(([name, { path: at, schema }]) =>
    at ? [inPath(name, at.says, schema, at.sample)] : [],
  );
  const parameters = [...inPaths, ...(row.preview ? [DRY_RUN] : [])];
  return {
    [`POST ${CHANNEL}${path}`]: {
      id,
      tag,
      summary,
      description,
      ...(parameters.length > 0 && { parameters }),
      body: withExamples(bodySays, bodySchema, bodySamples),
      answers: { 200: withExamples(answerSays, answerSchema, answerSamples) },
    },
  };
}

/** The schema of its body, by name. */
export const bodySchemaOf = (row: AnyDeed) => ({
  [row.api!.body[0]]: Type.Object(
    Object.fromEntries(fieldsOf(row).flatMap(([name, { path, schema }]) => (path ? [] : [[name, schema]]))),
  ),
});

/** The schema of its answer, by name. */
export const answerSchemaOf = (row: AnyDeed) => ({ [row.api!.answer[0]]: row.output! });
