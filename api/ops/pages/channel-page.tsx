import type { ComponentChildren, VNode } from 'preact';
import { plain } from '../../../domain/masked';
import type { OperatorAction } from '../../../store/operator-actions';
import type { ChannelView } from '../channel-view';
import { OPS } from '../paths';
import { Actions, type Forms } from './actions';
import { ActionsDone, sayAction } from './actions-done';
import { Badge } from './badge';
import { Facts, Trouble } from './channel-top';
import { Deliveries } from './deliveries';
import { fieldId, type FormProblem } from './form-problem';
import { Granted } from './granted';
import { Markers } from './markers';
import { OpsLayout, Problem, type OpsFrame } from './ops-layout';
import { SetAsideRecords } from './set-aside-records';
import { Settings } from './settings';
import { Strip } from './strip';

const SECTIONS = {
  markers: 'Markers',
  day: 'Last 24 hours',
  deliveries: 'Deliveries',
  'set-aside': 'Set aside',
  shared: 'Shared',
  settings: 'Settings',
  actions: 'What operators did',
} as const;

export interface ChannelPage {
  frame: OpsFrame;
  view: ChannelView;
  /** What has just been done. */
  did: OperatorAction | undefined;
  problem: FormProblem | undefined;
  typed: URLSearchParams;
}

export function channelPage(props: ChannelPage): VNode {
  const { frame, view, did, problem, typed } = props;
  const { channel } = view;
  const forms: Forms = { frame, channel, problem, typed };
  return (
    <OpsLayout frame={frame} title={plain(channel.name)} error={!!problem}>
      <p class="soft">
        <a href={OPS.channels}>Channels</a> / {channel._id}
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
      <Trouble frame={frame} view={view} />
      <Facts frame={frame} view={view} />
      <Actions {...forms} />
      <nav aria-label="On this page">
        {Object.entries(SECTIONS).map(([id, title]) => (
          <a key={id} href={`#${id}`}>
            {title}
            {id === 'set-aside' && view.setAside.length > 0 && ` (${view.setAside.length})`}
          </a>
        ))}
      </nav>
      <Section id="markers">
        <Markers frame={frame} markers={view.markers} />
      </Section>
      <Section id="day">
        <Strip lanes={view.lanes} now={frame.now} />
        {view.lanesCut && <p class="soft">There were more: only the newest are drawn.</p>}
      </Section>
      <Section id="deliveries">
        <Deliveries frame={frame} view={view} />
      </Section>
      <Section id="set-aside">
        <SetAsideRecords {...forms} records={view.setAside} />
      </Section>
      <Section id="shared">
        <Granted frame={frame} view={view} />
      </Section>
      <Section id="settings">
        <Settings frame={frame} view={view} />
      </Section>
      <Section id="actions">
        <ActionsDone frame={frame} actions={view.actions} />
      </Section>
      <p class="soft">As of {frame.now.toISOString().slice(11, 19)}. All times are UTC.</p>
    </OpsLayout>
  );
}

function Section({ id, children }: { id: keyof typeof SECTIONS; children: ComponentChildren }): VNode {
  return (
    <section id={id}>
      <h2>{SECTIONS[id]}</h2>
      {children}
    </section>
  );
}
