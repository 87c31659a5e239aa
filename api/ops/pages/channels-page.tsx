import type { VNode } from 'preact';
import { count } from '../../../domain/records/count';
import { sayConfirmed, sayShare, sayWaiting } from '../../../domain/deliveries/lateness';
import { plain } from '../../../domain/text/masked';
import { timeOfDay } from '../../../domain/time/instants';
import { sayInterval } from '../../../domain/records/push-rhythm';
import { HEALTHS } from '../../../domain/deliveries/condition';
import { pathOf } from '../../channel/door';
import { type ChannelPageContext, PageLayout } from '../../channel/views/page-layout';
import { Badge, type Column, Table, When, Workflow } from '../../channel/views/page-parts';
import type { Channel } from '../../../store/channels/channels';
import type { ChannelRow } from '../channel-rows';
import type { IntegrationRow } from '../integration-rows';

const ADD = `gdx integration add --company-id 42 --company "Prairie Co-op"
gdx channel add acme --name "Acme Crop Insurance" --base-url https://acme.example --company 42`;

export function channelsPage(props: {
  context: ChannelPageContext;
  rows: ChannelRow[];
  closed: Channel[];
  integrations: IntegrationRow[];
}): VNode {
  const { context, rows, closed, integrations } = props;
  return (
    <PageLayout context={context} title="Channels">
      <h1>Channels</h1>
      {rows.length === 0 ? (
        <section class="empty">
          <p>There is no channel yet. On the service’s machine, let an ERP push, and feed a customer:</p>
          <pre>{ADD}</pre>
          <p>Then reload this page.</p>
        </section>
      ) : (
        <>
          <p>
            {HEALTHS.map((health) => {
              const count = rows.filter((row) => row.health === health).length;
              return count > 0 && <span class="tally">{count} <Badge of={health} /></span>; // prettier-ignore
            })}
          </p>
          <Table
            caption="Channels, those that need somebody first"
            columns={columns(context)}
            rows={rows}
            classOf={({ health }) => health}
          />
        </>
      )}
      {closed.length > 0 && <Closed context={context} channels={closed} />}
      <Integrations rows={integrations} now={context.now} />
      <p class="soft">As of {timeOfDay(context.now)}. All times are UTC.</p>
    </PageLayout>
  );
}

const columns = (context: ChannelPageContext): Column<ChannelRow>[] => [
  {
    title: 'State',
    cell: ({ health, since }) => (
      <>
        <Badge of={health} />
        {since && (
          <>
            {' '}
            since <When at={since} now={context.now} />
          </>
        )}
      </>
    ),
  },
  {
    title: 'Channel',
    cell: ({ slug, channel }) => (
      <>
        <a href={pathOf(context.door, 'channel', slug)}>
          <b>{plain(channel.name)}</b>
        </a>{' '}
        <small>{slug}</small>
      </>
    ),
  },
  { title: 'What to know', cell: (row) => whatToKnow(row) },
  {
    title: 'Last confirmed',
    cell: ({ deliveredAt }) => <When at={deliveredAt} now={context.now} none="no page yet" />,
  },
  {
    title: 'Not confirmed',
    number: true,
    cell: ({ channel, pending, waitingSince }) => (
      <>
        {/* What a paused channel misses is counted when its next run is planned. */}
        {channel.state === 'paused' && pending === 0
          ? 'counted again when resumed'
          : count(pending, 'record')}
        {waitingSince && (
          <small class="line">
            oldest <When at={waitingSince} now={context.now} />
          </small>
        )}
      </>
    ),
  },
  {
    title: 'On time on our side',
    number: true,
    cell: ({ channel, howLate }) => {
      const late = sayWaiting(howLate, context.now);
      return (
        <span title={sayConfirmed(channel, howLate)}>
          {howLate.records > 0 ? sayShare(howLate) : '–'}
          {late && <small class="line">{late}</small>}
        </span>
      );
    },
  },
  {
    title: 'Next due',
    cell: ({ due }) => <When at={due} now={context.now} none="when it is resumed" />,
  },
  {
    title: 'Temporal',
    cell: ({ workflow }) => <Workflow context={context} id={workflow} text="workflow" />,
  },
];

function Closed({ context, channels }: { context: ChannelPageContext; channels: Channel[] }): VNode {
  return (
    <section>
      <h2>Closed</h2>
      <ul>
        {channels.map(({ _id: slug, name, closed }) => (
          <li key={slug}>
            <a href={pathOf(context.door, 'channel', slug)}>{plain(name)}</a> <small>{slug}</small>:{' '}
            {plain(closed!.reason)} (<When at={closed!.at} now={context.now} />)
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The reason of a pause, else the open alerts, else the reason for the channel's health. */
function whatToKnow({ channel, alerts, health }: ChannelRow) {
  if (channel.state === 'paused') return plain(channel.paused?.reason ?? '');
  if (alerts.length > 0)
    return alerts.map(({ _id, message }) => <span class="line" key={_id}>{plain(message)}</span>); // prettier-ignore
  if (health === 'failing') return `${channel.failing?.failure}: see its deliveries`;
  if (health === 'stale')
    return 'Nothing was confirmed, and no run was empty: see its deliveries, and whether a worker runs';
  return <span class="soft none">–</span>;
}

/** The list of ERPs. Nothing is shown if no ERP may push. */
function Integrations({ rows, now }: { rows: IntegrationRow[]; now: Date }): VNode | null {
  if (rows.length === 0) return null;
  return (
    <section>
      <h2>ERPs</h2>
      <Table
        caption="ERPs that may push, silent ones first"
        columns={integrationColumns(now)}
        rows={rows}
        classOf={({ isSilent }) => (isSilent ? 'stale' : 'healthy')}
      />
    </section>
  );
}

const integrationColumns = (now: Date): Column<IntegrationRow>[] => [
  {
    title: 'ERP',
    cell: ({ name, company }) => (
      <>
        <b>{plain(name)}</b> of {plain(company)}
      </>
    ),
  },
  {
    title: 'Last push',
    cell: ({ pushed, isSilent }) => (
      <>
        {isSilent && <b>! silent since </b>}
        <When at={pushed?.last_at} now={now} none="none yet" />
      </>
    ),
  },
  {
    title: 'Usually within',
    cell: ({ pushed }) =>
      pushed?.usual_ms ? sayInterval(pushed.usual_ms) : <span class="soft">not known yet</span>,
  },
  {
    title: 'On its last day',
    number: true,
    cell: ({ pushed }) => (
      <>
        {count(pushed?.records ?? 0, 'record')}
        <small class="line">{count(pushed?.warnings ?? 0, 'warning')}</small>
      </>
    ),
  },
];
