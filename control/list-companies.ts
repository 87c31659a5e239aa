import { Type } from '@sinclair/typebox';
import { formatInstant } from '../domain/time/instants';
import { type CarriedCompany, listCarriedCompanies } from '../store/digest/complete-through';
import { ENTITY_TYPES } from '../domain/records/entity-types';
import { sayWords } from '../domain/records/erp-word';
import { FULL_DATE } from '../domain/records/schemas/formats';
import { aCount, maybe } from './answers';
import { channelList } from './list';

const instant = (date: Date | null) => date && formatInstant(date);

/** How far each company is complete, and whether its ERP still pushes (docs/contract.md C31). */
export const companiesList = channelList<CarriedCompany>()({
  filters: {},
  members: {
    company: { told: Type.String({ description: 'Its id, with which the ids of its records begin.' }) },
    name: { told: Type.String() },
    last_push_at: {
      told: maybe('When its ERP last pushed; null where it never has.', 'date-time'),
      of: ({ last_push_at }) => instant(last_push_at),
    },
    silent_since: {
      told: maybe(
        'Its last push, where the next one is overdue by its usual interval; else null.',
        'date-time',
      ),
      of: ({ silent_since }) => instant(silent_since),
    },
    complete_through: {
      told: maybe(
        'You have confirmed all that its ERP had pushed until then. It does not say that the ERP had pushed all it knows. Null while that is not known: before it is first found out, after a reset, and while you get the earlier records of a farmer who has just begun to share.',
        'date-time',
      ),
      of: ({ complete_through }) => instant(complete_through),
    },
    erp_complete_through: {
      told: Type.Partial(
        Type.Object(
          Object.fromEntries(ENTITY_TYPES.map((type) => [type, Type.String({ pattern: FULL_DATE.source })])),
        ),
        {
          description:
            'Of each of your types the day up to which its ERP has said that it pushed everything, where it says that. You have confirmed all that it had pushed when it said so. It is the word of the ERP: nobody else has checked it.',
        },
      ),
    },
    set_aside: {
      told: aCount('Its records that you have refused. `complete_through` stays before the first of them.'),
    },
  },
  find: listCarriedCompanies,
  api: {
    id: 'listCompanies',
    tag: 'markers',
    path: '/companies',
    summary: 'How far each company is complete',
    schema: 'Companies',
    says: 'The companies that the channel carries, by name. Where farmers share single accounts, only those of which somebody shares.',
    sample: {
      company: '42',
      name: 'Prairie Co-op',
      last_push_at: '2026-11-21T08:12:40.118Z',
      silent_since: null,
      complete_through: '2026-11-21T08:13:01.402Z',
      erp_complete_through: { tickets: '2026-11-20' },
      set_aside: 0,
    },
  },
  gdx: {
    says: 'how far each company is complete, and whether its ERP still pushes',
    columns: {
      company: true,
      name: true,
      last_push: ({ last_push_at }) => last_push_at,
      silent_since: ({ silent_since }) => silent_since,
      complete_through: ({ complete_through }) => complete_through,
      erp_says: ({ erp_complete_through }) => sayWords(erp_complete_through),
      set_aside: true,
    },
    none: 'No companies: no ERP pushes one that this channel carries.',
  },
});
