import type { VNode } from 'preact';
import { masked, plain } from '../../../domain/text/masked';
import { DELIVERY_STATUSES, type DeliveryDocument } from '../../../store/deliveries/deliveries';
import type { ChannelView } from '../channel-view';
import { pathOf } from '../door';
import type { Shown } from './channel-top';
import type { ChannelPageContext } from './page-layout';
import { Badge, type Column, sayLength, Table, When, Workflow } from './page-parts';

/** The list of deliveries, newest first, with the customer's responses. */
export function Deliveries({ context, view }: Shown): VNode {
  const { query, deliveries, next } = view;
  return (
    <>
      <Filters context={context} view={view} />
      {deliveries.length === 0 ? (
        <p>
          {query.entity_type || query.status || query.after
            ? 'No such delivery.'
            : 'Nothing has been sent yet: a delivery begins when something has changed.'}
        </p>
      ) : (
        <Table caption="Deliveries, newest first" columns={columns(context)} rows={deliveries} />
      )}
      <p class="pages">
        {query.after && <a href={addressOf(context, view, undefined)}>Newest deliveries</a>}{' '}
        {next && <a href={addressOf(context, view, next)}>Older deliveries</a>}
      </p>
    </>
  );
}

/** Filters of the list of deliveries. */
function Filters({ context, view }: Shown): VNode {
  const { channel, query } = view;
  return (
    <form class="filters" method="get" action={`${pathOf(context.door, 'channel', channel._id)}#deliveries`}>
      <Choice id="entity" label="Entity type" options={channel.entity_types} chosen={query.entity_type} />
      <Choice id="status" label="Status" options={DELIVERY_STATUSES} chosen={query.status} />
      <button class="second">Show</button>
    </form>
  );
}

function Choice(props: {
  id: string;
  label: string;
  options: readonly string[];
  chosen: string | undefined;
}): VNode {
  const { id, label, options, chosen } = props;
  return (
    <span>
      <label for={id}>{label}</label>
      <select id={id} name={id}>
        <option value="">any</option>
        {options.map((option) => (
          <option key={option} selected={option === chosen}>
            {option}
          </option>
        ))}
      </select>
    </span>
  );
}

function addressOf(
  { door }: ChannelPageContext,
  { channel, query }: ChannelView,
  after: string | undefined,
): string {
  const given = { entity: query.entity_type, status: query.status, after };
  const filled = Object.entries(given).filter((entry): entry is [string, string] => Boolean(entry[1]));
  return `${pathOf(door, 'channel', channel._id)}?${new URLSearchParams(filled)}#deliveries`;
}

const columns = (context: ChannelPageContext): Column<DeliveryDocument>[] => [
  { title: 'Started', cell: ({ started_at }) => <When at={started_at} now={context.now} /> },
  {
    title: 'What',
    cell: ({ entity_type, catch_up, trigger, request_id }) => (
      <>
        <b class="keep">{entity_type}</b>
        {catch_up && ' catch-up'} <small>{trigger}</small>
        {request_id && <span class="soft line">by request {plain(request_id)}</span>}
      </>
    ),
  },
  { title: 'Status', cell: ({ status }) => <Badge of={status} /> },
  { title: 'Records', number: true, cell: ({ records }) => records.toLocaleString('en-US') },
  { title: 'Pages', number: true, cell: ({ pages }) => pages.toLocaleString('en-US') },
  {
    title: 'Took',
    number: true,
    cell: ({ started_at, ended_at }) => sayLength((ended_at ?? context.now).getTime() - started_at.getTime()),
  },
  {
    title: context.door.holder === 'operator' ? 'Customer response' : 'Your answer',
    cell: (delivery) => <Answer delivery={delivery} context={context} />,
  },
  ...(context.workflowLink ? [inTemporal(context)] : []),
];

const inTemporal = (context: ChannelPageContext): Column<DeliveryDocument> => ({
  title: 'Temporal',
  cell: ({ _id, workflow_run_id }) => (
    <Workflow context={context} id={_id} runId={workflow_run_id} text={`run ${_id.split('/')[3] ?? ''}`} />
  ),
});

/** The failure message, then the unconfirmed attempts. */
function Answer({ delivery, context }: { delivery: DeliveryDocument; context: ChannelPageContext }): VNode {
  const { failure, failure_message, failed_attempts, set_aside = 0 } = delivery;
  return (
    <>
      {failure_message && (
        <span class="line">
          <b>{failure}</b> {plain(failure_message)}
        </span>
      )}
      {set_aside > 0 && <span class="line">{set_aside} set aside</span>}
      {failed_attempts.length > 0 && (
        <details>
          <summary>
            {failed_attempts.length} not confirmed: {plain(failed_attempts.at(-1)!.reason)}
          </summary>
          <ol class="answers">
            {failed_attempts.map(({ at, status, reason, answer, request_id }, index) => (
              <li key={index}>
                <When at={at} now={context.now} /> {status === null ? plain(reason) : `answered ${status}`}
                {answer && <q>{masked(answer)}</q>}
                {request_id && <span class="soft line">X-Request-ID {request_id}</span>}
              </li>
            ))}
          </ol>
        </details>
      )}
      {!failure_message && failed_attempts.length === 0 && set_aside === 0 && (
        <span class="soft none">–</span>
      )}
    </>
  );
}
