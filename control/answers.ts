import { Type } from '@sinclair/typebox';

// The members of answers, each with its prose.

export const oneOf = (values: readonly string[], description: string) =>
  Type.Unsafe<string>({ type: 'string', enum: [...values], description });
export const anInstant = (description: string) => Type.String({ format: 'date-time', description });
export const aCount = (description: string) => Type.Integer({ minimum: 0, description });
export const maybeCount = (description: string) =>
  Type.Unsafe<number | null>({ type: ['integer', 'null'], minimum: 0, description });
export const aText = (description: string) => Type.String({ description });
export const maybe = (description: string, format?: 'date-time') =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], ...(format && { format }), description });

/** When what was asked for is sent, as `startOf` says it. */
export const startsAt = () =>
  Type.Union(
    [
      oneOf(
        ['now', 'next_run', 'paused'],
        'Within seconds, with the next run, or once the operator resumes your channel, which is paused.',
      ),
      anInstant('Not before then.'),
    ],
    { description: 'When: an instant is the end of the time that your own Retry-After asked for.' },
  );
