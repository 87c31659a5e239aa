import { execFileSync } from 'node:child_process';
import { createConnections } from '../../cli/connections';
import { completionScript, SHELLS } from '../../cli/completion-script';
import { createProgram } from '../../cli/create-program';

const nobody = () => Promise.reject(new Error('no verb is run here'));
const program = createProgram(createConnections(nobody), nobody);

/** What bash offers after a line; its last word is being typed. */
function offered(...typed: string[]): string[] {
  const words = ['gdx', ...typed];
  const line = words.map((word) => `'${word}'`).join(' ');
  const ask = `COMP_WORDS=(${line}); COMP_CWORD=${words.length - 1}; _gdx; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const script = `${completionScript(program, 'bash')}\n${ask}`;
  return execFileSync('bash', ['-c', script], { encoding: 'utf8' }).split('\n').filter(Boolean);
}

test.each<[string[], string[]]>([
  [['ch'], ['channel']],
  [
    ['marker', ''],
    ['show', 'reset', '--help'],
  ],
  [['channel', 'pau'], ['pause']],
  [['channel', 'pause', 'acme', '--r'], ['--reason']],
  [['marker', 'reset', 'acme', 'tickets', '--dry'], ['--dry-run']],
  [['nonsense', 'ch'], ['channel']],
])('bash completes %j to %j', (typed, expected) => {
  expect(offered(...typed)).toEqual(expected);
});

test.each(SHELLS)('the script for %s knows every group, and has nothing a shell could run', (shell) => {
  const script = completionScript(program, shell);
  for (const { name } of program.commands.map((command) => ({ name: command.name() }))) {
    expect(script).toContain(name);
  }
  expect(script).not.toMatch(/`|\$\((?!compgen|__gdx|commandline)/);
});
