/** Whether a pushed record says that it is deleted, and not when (docs/contract.md E17). */
export const isDeletion = ({ deleted, deleted_at }: Readonly<Record<string, unknown>>) =>
  deleted === true && deleted_at == null;
