import { Argument, type Command } from 'commander';
import { completionScript, type Shell, SHELLS } from '../completion-script';
import { printJson } from '../print';

export function completionCommand(program: Command): void {
  program
    .command('completion')
    .description('a script that lets a shell complete: source <(gdx completion bash)')
    .addArgument(new Argument('<shell>').choices(SHELLS))
    .action((shell: Shell, { json }: { json?: true }) => {
      const script = completionScript(program, shell);
      if (json) printJson({ shell, script });
      else process.stdout.write(script);
    });
}
