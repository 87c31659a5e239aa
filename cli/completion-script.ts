import type { Command } from 'commander';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** One line of what can follow: the words so far, and the words and options that may come next. */
interface Step {
  words: string;
  next: string[];
}

/** A script for a shell, from the verbs themselves: `source <(gdx completion bash)`. */
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

const cases = (steps: Step[]) =>
  steps.map(({ words, next }) => `    '${words}') next='${next.join(' ')}' ;;`).join('\n');

// The longest beginning of the line that is a verb decides; slugs and values are the operator's.
const bashScript = (steps: Step[]) => `_gdx() {
  local words='' next='' try='' word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    try="\${words:+$words }$word"
    case "$try" in
    ${steps.map(({ words }) => `'${words}'`).join('|')}) words="$try" ;;
    *) break ;;
    esac
  done
  case "$words" in
${cases(steps)}
  esac
  COMPREPLY=($(compgen -W "$next" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _gdx gdx
`;

const zshScript = (steps: Step[]) => `#compdef gdx
autoload -U +X bashcompinit && bashcompinit
${bashScript(steps)}`;

const fishScript = (steps: Step[]) => `complete -c gdx -f
function __gdx_words
  string match -v -- '-*' (commandline -opc)[2..-1] | string join ' '
end
${steps.map(({ words, next }) => `complete -c gdx -n 'test (__gdx_words) = "${words}"' -a '${next.join(' ')}'`).join('\n')}
`;
