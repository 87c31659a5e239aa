import { spawnSync } from 'node:child_process';
import { createConnections } from '../../cli/connections';
import { completionScript, SHELLS } from '../../cli/completion-script';
import { runTool } from '../setup/run-tool';
import { createProgram } from '../../cli/create-program';

const nobody = () => Promise.reject(new Error('no command is run here'));
const program = createProgram(createConnections(nobody, nobody), nobody);

/** Each shell's own way to say what it offers after a line, whose last word is being typed. */
const ASK = {
  bash: (words: string[]) => {
    const line = words.map((word) => `'${word}'`).join(' ');
    return `COMP_WORDS=(${line}); COMP_CWORD=${words.length - 1}; _gdx; printf '%s\\n' "\${COMPREPLY[@]}"`;
  },
  fish: (words: string[]) => `complete --do-complete '${words.join(' ')}'`,
};

// fish is for `npm run test:tools`.
describe.each(process.env.GDX_TOOLS ? (['bash', 'fish'] as const) : (['bash'] as const))('%s', (shell) => {
  beforeAll(() => void runTool([shell, '--version'], { install: `apt-get install ${shell}` }));

  test.each<[string[], string[]]>([
    [['ch'], ['channel']],
    [
      ['marker', ''],
      ['show', 'reset'],
    ],
    [['marker', '--h'], ['--help']],
    [['channel', 'pau'], ['pause']],
    [['channel', 'pause', 'acme', '--r'], ['--reason']],
    [['channel', '--json', 'pau'], ['pause']],
    [['marker', 'reset', 'acme', 'tickets', '--dry'], ['--dry-run']],
    [['nonsense', 'ch'], ['channel']],
  ])('completes %j to %j', (typed, expected) => {
    const script = `${completionScript(program, shell)}\n${ASK[shell](['gdx', ...typed])}`;
    const { stdout, stderr } = spawnSync(shell, ['-c', script], { encoding: 'utf8' });
    // fish keeps options back until a hyphen is typed.
    const isAsked = (word: string) => typed.at(-1) !== '' || !word.startsWith('-');
    const offered = stdout.split('\n').filter((word) => word && isAsked(word));
    expect([offered.sort(), stderr]).toEqual([expected.sort(), '']);
  });
});

test.each(SHELLS)('the script for %s knows every group, and has nothing a shell could run', (shell) => {
  const script = completionScript(program, shell);
  for (const { name } of program.commands.map((command) => ({ name: command.name() }))) {
    expect(script).toContain(name);
  }
  expect(script).not.toMatch(/`|\$\((?!compgen|__gdx|commandline)/);
});
