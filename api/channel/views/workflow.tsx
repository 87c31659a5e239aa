import type { VNode } from 'preact';
import type { ChannelPageContext } from './page-layout';

/** A workflow's id, linked to the Temporal UI when its address is known. */
export function Workflow(props: {
  context: ChannelPageContext;
  id: string;
  runId?: string;
  text?: string;
}): VNode {
  const { context, id, runId, text } = props;
  const href = context.workflowLink?.(id, runId);
  if (!href) return <code>{id}</code>;
  return (
    <a href={href} class={text && 'keep'}>
      {text ?? id}
    </a>
  );
}
