import type { Command } from 'commander';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** One line of what can follow: the words so far, and the words and options that may come next. */
interface Step {
  words: string;
  next: string[];
}

/** A script for a shell, from the commands themselves: `source <(gdx completion bash)`. */
export function completionScript(program: Command, shell: Shell): string {
  const steps = stepsOf(program);
  return { bash: bashScript, zsh: zshScript, fish: fishScript }[shell](steps);
}

function stepsOf(command: Command, words: string[] = []): Step[] {
  const below = command.commands.filter((child) => child.name() !== 'help');
  const options = command.options.flatMap(({ long }) => long ?? []);
  const next = [...below.map((child) => child.name()), ...options, '--help'];
  return [
    { words: words.join(' '), next },
    ...below.flatMap((child) => stepsOf(child, [...words, child.name()])),
  ];
}

const quoted = (steps: Step[], between: string) => steps.map(({ words }) => `'${words}'`).join(between);

// The longest beginning of the line that is a command decides; slugs and values are the operator's.
const bashScript = (steps: Step[]) => `_gdx() {
  local words='' next='' try='' word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    try="\${words:+$words }$word"
    case "$try" in
    ${quoted(steps, '|')}) words="$try" ;;
    *) break ;;
    esac
  done
  case "$words" in
${steps.map(({ words, next }) => `    '${words}') next='${next.join(' ')}' ;;`).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$next" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _gdx gdx
`;

const zshScript = (steps: Step[]) => `#compdef gdx
autoload -U +X bashcompinit && bashcompinit
${bashScript(steps)}`;

// As in bash.
const fishScript = (steps: Step[]) => `function __gdx_next
  set -l words ''
  for word in (commandline -opc)[2..-1]
    set -l try (string trim -- "$words $word")
    switch "$try"
      case ${quoted(steps, ' ')}
        set words "$try"
      case '*'
        break
    end
  end
  switch "$words"
${steps.map(({ words, next }) => `    case '${words}'\n      printf '%s\\n' ${next.join(' ')}`).join('\n')}
  end
end
complete -c gdx -f -a '(__gdx_next)'
`;
