import type { ComponentChildren, VNode } from 'preact';
import { plain } from '../../../domain/text/masked';
import { timeOfDay } from '../../../domain/time/instants';
import type { OperatorAction } from '../../../store/callers/operator-actions';
import { type ChannelView, SHOWN } from '../channel-view';
import { Actions, type Forms } from './actions';
import { ActionsDone, sayAction } from './actions-done';
import { Badge } from './page-parts';
import { Facts, Problems } from './channel-top';
import { Deliveries } from './deliveries';
import { fieldId, type FormProblem } from './form-problem';
import { Granted } from './granted';
import { Companies } from './companies';
import { Markers } from './markers';
import { PageLayout, Problem, type ChannelPageContext } from './page-layout';
import { Production } from './production';
import { SetAsideRecords } from './set-aside-records';
import { SettingsList } from './settings';
import { Timeline } from './timeline';
import { Traced } from './trace';
import type { TraceAsked } from '../trace-of';

const SECTIONS = {
  markers: 'Markers',
  companies: 'Companies',
  day: 'Last 24 hours',
  deliveries: 'Deliveries',
  'set-aside': 'Set aside',
  record: 'Where is a record',
  production: 'Production record',
  shared: 'Shared',
  settings: 'Settings',
  actions: 'What operators did',
} as const;
const SECTION_IDS = Object.keys(SECTIONS) as (keyof typeof SECTIONS)[];
const YOURS = 'What you did';

interface ChannelPage {
  context: ChannelPageContext;
  view: ChannelView;
  /** The action that was just taken. */
  did: OperatorAction | undefined;
  problem: FormProblem | undefined;
  typed: URLSearchParams;
  /** The record that was asked for, if any. */
  traced?: TraceAsked | undefined;
}

export function channelPage(props: ChannelPage): VNode {
  const { context, view, did, problem, typed, traced } = props;
  const { channel, granted } = view;
  const isOperators = context.door.holder === 'operator';
  const forms: Forms = { context, channel, problem, typed };
  const hasProduction = !isOperators && channel.entity_types.includes('tickets');
  const isShown = (id: keyof typeof SECTIONS) =>
    id === 'shared' ? !!granted : id !== 'production' || hasProduction;
  return (
    <PageLayout context={context} title={plain(channel.name)} error={!!problem}>
      <p class="soft">
        {isOperators && (
          <>
            <a href={context.door.paths.home}>Channels</a> /{' '}
          </>
        )}
        {channel._id}
      </p>
      {problem && <Problem field={fieldId(problem.form, problem.field)} message={problem.message} />}
      {did && (
        <p class={did.outcome === null ? 'unsure' : 'done'} role="status">
          <b>{did.outcome === null ? 'Perhaps not done.' : 'Done.'}</b> {sayAction(did)}
        </p>
      )}
      <h1>
        {plain(channel.name)} <Badge of={view.health.health} />
      </h1>
      <Problems context={context} view={view} />
      <Facts context={context} view={view} />
      {channel.state !== 'closed' &&
        (context.mayAct ? <Actions {...forms} /> : <p class="soft">Your role is read-only.</p>)}
      <nav aria-label="On this page">
        {SECTION_IDS.filter(isShown).map((id) => (
          <a key={id} href={`#${id}`}>
            {isOperators || id !== 'actions' ? SECTIONS[id] : YOURS}
            {id === 'set-aside' && view.setAside.length > 0 && ` (${upTo(SHOWN.setAside, view.setAside)})`}
          </a>
        ))}
      </nav>
      <Section id="markers">
        <Markers context={context} view={view} />
      </Section>
      <Section id="companies">
        <Companies context={context} view={view} />
      </Section>
      <Section id="day">
        <Timeline rows={view.timeline} now={context.now} />
        {view.timelineCut && <p class="soft">There were more: only the newest are drawn.</p>}
      </Section>
      <Section id="deliveries">
        <Deliveries context={context} view={view} />
      </Section>
      <Section id="set-aside">
        <SetAsideRecords {...forms} records={view.setAside} />
      </Section>
      <Section id="record">
        <Traced context={context} channel={channel} asked={traced} />
      </Section>
      {hasProduction && (
        <Section id="production">
          <Production door={context.door} />
        </Section>
      )}
      {granted && (
        <Section id="shared">
          <Granted context={context} view={view} />
        </Section>
      )}
      <Section id="settings">
        <SettingsList context={context} view={view} />
      </Section>
      <Section id="actions" title={isOperators ? undefined : YOURS}>
        <ActionsDone context={context} view={view} />
      </Section>
      <p class="soft">As of {timeOfDay(context.now)}. All times are UTC.</p>
    </PageLayout>
  );
}

function Section(props: {
  id: keyof typeof SECTIONS;
  title?: string | undefined;
  children: ComponentChildren;
}): VNode {
  const { id, title = SECTIONS[id], children } = props;
  return (
    <section id={id}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

/** "12", or "50+" for a list that was cut off. */
const upTo = (most: number, { length }: readonly unknown[]) => (length > most ? `${most}+` : String(length));
