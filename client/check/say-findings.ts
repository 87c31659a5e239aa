import type { ToldFinding } from '../../domain/records/check/findings';
import { formatCell, note, type Output } from '../print';

const SAY_EVERY_MS = 5_000;

/** Says every five seconds how many records of each type are checked. */
export function createCheckProgress(): (checked: Readonly<Record<string, number>>) => void {
  let said = performance.now();
  return (checked) => {
    if (performance.now() - said < SAY_EVERY_MS) return;
    said = performance.now();
    const counts = Object.entries(checked).filter(([, count]) => count > 0);
    note(`${counts.map(([type, count]) => `${count.toLocaleString('en-US')} ${type}`).join(', ')} checked`);
  };
}

export const findingsInWords = (findings: readonly ToldFinding[]): Pick<Output, 'notes' | 'text'> => ({
  notes: findings.length === 0 ? ['Nothing is wrong with these records.'] : [],
  text: findings.map(inWords).join(''),
});

const inWords = ({ name, count, examples, says, follows, mend }: ToldFinding) => `
${formatCell(name)}: ${formatCell(count)} ${formatCell(says)}
  such as  ${formatCell(examples)}
  so that  ${formatCell(follows)}
  to mend  ${formatCell(mend)}
`;
