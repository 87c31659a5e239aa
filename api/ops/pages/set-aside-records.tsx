import type { VNode } from 'preact';
import { masked, plain } from '../../../domain/masked';
import type { SetAside } from '../../../store/set-aside';
import { SHOWN } from '../channel-view';
import { pathOf } from '../paths';
import type { Forms } from './actions';
import { fieldId } from './form-problem';
import { Hidden, Reason } from './reason';
import { type Column, Table } from './table';
import { When } from './when';

/** What the customer refused one by one, with its own answers, and the button that sends it again. */
export function SetAsideRecords(props: Forms & { records: SetAside[] }): VNode {
  const { records, ...forms } = props;
  const { frame, channel, problem } = forms;
  const own = problem?.form === 'release' && problem.field === 'record' ? problem : undefined;
  if (records.length === 0) return <p>Nothing: the customer took every record that it was sent.</p>;
  const shown = records.slice(0, SHOWN.setAside);
  return (
    <form method="post" action={pathOf('release', channel._id)}>
      <p>These wait and block nothing. Each is sent again when it changes, when a reset covers it, or now:</p>
      <Hidden csrf={frame.csrf} />
      {own && <p class="error">{own.message}</p>}
      <Table caption="Records that are set aside" columns={columns(forms, shown[0])} rows={shown} />
      {records.length > shown.length && (
        <p class="soft">
          There are more: <code>gdx set-aside {channel._id}</code> lists them all.
        </p>
      )}
      <div class="narrow">
        <Reason {...forms} verb="release" />
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

// The first carries the id that the summary of an error leads to.
const columns = ({ frame, typed }: Forms, first: SetAside | undefined): Column<SetAside>[] => [
  {
    title: 'Record',
    cell: ({ entity_type, record, _id }) => (
      <label class="tick">
        <input
          type="checkbox"
          name="record"
          value={`${entity_type}/${record}`}
          checked={typed.getAll('record').includes(`${entity_type}/${record}`)}
          id={_id === first?._id ? fieldId('release', 'record') : undefined}
        />
        <span>
          {plain(record)} <small>{entity_type}</small>
        </span>
      </label>
    ),
  },
  { title: 'Refused', cell: ({ at }) => <When at={at} now={frame.now} /> },
  {
    title: 'Answer',
    cell: ({ status, answer }) => (
      <>
        answered {status} {answer && <q>{masked(answer)}</q>}
      </>
    ),
  },
  {
    title: 'Released',
    cell: ({ released_at }) =>
      released_at ? <When at={released_at} now={frame.now} /> : <span class="soft none">–</span>,
  },
];
