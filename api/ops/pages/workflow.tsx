import type { VNode } from 'preact';
import type { OpsFrame } from './ops-layout';

/** A workflow's id, leading into the Temporal UI where its address is known. */
export function Workflow(props: { frame: OpsFrame; id: string; runId?: string; text?: string }): VNode {
  const { frame, id, runId, text } = props;
  const href = frame.workflowLink(id, runId);
  if (!href) return <code>{id}</code>;
  return (
    <a href={href} class={text && 'keep'}>
      {text ?? id}
    </a>
  );
}
