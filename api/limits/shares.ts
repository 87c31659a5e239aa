/** Bounds how much of something scarce each owner holds at the same time. */
export interface Shares {
  /** @returns false, and takes nothing, when the owner would hold more than a share */
  take(owner: string, amount?: number): boolean;
  giveBack(owner: string, amount?: number): void;
}

export function createShares(share: number): Shares {
  const held = new Map<string, number>();
  return {
    take(owner, amount = 1) {
      const sum = (held.get(owner) ?? 0) + amount;
      if (sum > share) return false;
      held.set(owner, sum);
      return true;
    },
    giveBack(owner, amount = 1) {
      const rest = (held.get(owner) ?? 0) - amount;
      if (rest > 0) held.set(owner, rest);
      else held.delete(owner);
    },
  };
}
