import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import ts from 'typescript';
import { checkout } from '../../tools/local/checkout';
import { type PlantedFault, plant } from './planted-fault';

const LEFT_OUT = new Set(['.git', '.local', 'node_modules']);
/** What `npm run build` makes one file of, and the program that does. */
const BUNDLES = {
  'dist/worker/workflows.bundle.js': 'dist/worker/bundle-workflows.js',
  'dist/downloads/gdx.mjs': 'dist/client/bundle-client.js',
};

/** A copy of the checkout with its build, for faults to be planted in: the checkout itself is never altered. */
export class CopiedCheckout {
  readonly dir = mkdtempSync(path.join(realpathSync(tmpdir()), 'gdx-planted-'));

  constructor() {
    const isCopied = (source: string) => !LEFT_OUT.has(path.relative(checkout, source));
    cpSync(checkout, this.dir, { recursive: true, filter: isCopied });
    symlinkSync(path.join(checkout, 'node_modules'), path.join(this.dir, 'node_modules'));
  }

  /** Plays `work` in the presence of a fault. */
  async withFault<T>(fault: PlantedFault, work: () => Promise<T>): Promise<T> {
    const file = path.join(this.dir, fault.file);
    const clean = readFileSync(file, 'utf8');
    writeFileSync(file, plant(clean, fault));
    try {
      if (fault.bundled) this.bundle(fault.file);
      return await work();
    } finally {
      writeFileSync(file, clean);
      if (fault.bundled) this.restore(fault.file);
    }
  }

  remove(): void {
    rmSync(this.dir, { recursive: true, force: true });
  }

  /** The worker runs workflows from their bundle, and customers run `gdx.mjs`. */
  private bundle(source: string): void {
    const { outputText } = ts.transpileModule(readFileSync(path.join(this.dir, source), 'utf8'), {
      compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.CommonJS },
    });
    writeFileSync(path.join(this.dir, builtFrom(source)), outputText);
    for (const bundler of Object.values(BUNDLES))
      execFileSync(process.execPath, [bundler], { cwd: this.dir, stdio: 'ignore' });
  }

  private restore(source: string): void {
    for (const built of [builtFrom(source), ...Object.keys(BUNDLES)])
      copyFileSync(path.join(checkout, built), path.join(this.dir, built));
  }
}

const builtFrom = (source: string) => `dist/${source.replace(/\.ts$/, '.js')}`;
