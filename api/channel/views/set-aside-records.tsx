import type { VNode } from 'preact';
import { masked, plain } from '../../../domain/text/masked';
import type { SetAside } from '../../../store/deliveries/set-aside';
import { SHOWN } from '../channel-view';
import { actionPath } from '../door';
import type { Forms } from './actions';
import { fieldId } from './form-problem';
import { type Column, Hidden, Reason, Table, When } from './page-parts';

/** The records that the customer refused, with its responses, and the button that resends them. */
export function SetAsideRecords(props: Forms & { records: SetAside[] }): VNode {
  const { records, ...forms } = props;
  const { context, channel, problem } = forms;
  const own = problem?.form === 'release' && problem.field === 'record' ? problem : undefined;
  const isOperators = context.door.holder === 'operator';
  if (records.length === 0) return <p>No record is set aside.</p>;
  const shown = records.slice(0, SHOWN.setAside);
  const table = (
    <Table caption="Records that are set aside" columns={columns(forms, shown[0])} rows={shown} />
  );
  const more = records.length > shown.length && (
    <p class="soft">
      {isOperators ? (
        <>
          There are more: <code>gdx set-aside {channel._id}</code> lists them all.
        </>
      ) : (
        'There are more: these are the first.'
      )}
    </p>
  );
  if (!context.mayAct) return <>{[table, more]}</>;
  return (
    <form method="post" action={actionPath(context.door, 'release', channel._id)}>
      <p>These wait and block nothing. Each is sent again when it changes, when a reset covers it, or now:</p>
      <Hidden csrf={context.csrf} />
      {own && <p class="error">{own.message}</p>}
      {table}
      {more}
      <div class="narrow">
        <Reason {...forms} action="release" />
        <div class="buttons">
          <button name="which" value="ticked">
            Release those ticked
          </button>
          <button class="second" name="which" value="all">
            Release all
          </button>
        </div>
      </div>
    </form>
  );
}

// The first checkbox has the id that the error summary links to.
const columns = ({ context, typed }: Forms, first: SetAside | undefined): Column<SetAside>[] => [
  {
    title: 'Record',
    cell({ entity_type, record, _id }) {
      const name = (
        <>
          {plain(record)} <small>{entity_type}</small>
        </>
      );
      if (!context.mayAct) return name;
      const value = `${entity_type}/${record}`;
      return (
        <label class="tick">
          <input
            type="checkbox"
            name="record"
            value={value}
            checked={typed.getAll('record').includes(value)}
            id={_id === first?._id ? fieldId('release', 'record') : undefined}
          />
          <span>{name}</span>
        </label>
      );
    },
  },
  { title: 'Refused', cell: ({ at }) => <When at={at} now={context.now} /> },
  {
    title: 'Answer',
    cell: ({ status, answer }) => (
      <>
        {status ? `answered ${status}` : 'not answered'} {answer && <q>{masked(answer)}</q>}
      </>
    ),
  },
  { title: 'Released', cell: ({ released_at }) => <When at={released_at} now={context.now} /> },
];
