import type { CommandCase } from './command-case';

export const commandCase: CommandCase = {
  table: { args: ['bash'], says: /^complete .* gdx$/m },
  json: { args: ['fish'], holds: { shell: 'fish', script: expect.stringMatching(/^complete -c gdx /m) } },
  error: { args: ['tcsh'], exitCode: 2, says: /bash, zsh, fish; / },
};
