import { cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { checkout } from '../../tools/local/checkout';
import { temporaryFolder } from '../setup/temporary-folder';

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- manifests of many kinds
export type Manifest = any;

const FOLDER = temporaryFolder('kubernetes');

export const SCALERS = [
  ['keda', 'Deployment'],
  ['worker-controller', 'WorkerDeployment'],
] as const;
const ACCESS = [[], ['temporal-tls'], ['temporal-cloud']];

/** Each combination of components that docs/deploy.md names. */
export const COMBINATIONS: [components: string[]][] = [
  ...SCALERS.flatMap(([scaler]) => ACCESS.map((access): [string[]] => [[scaler, 'monitoring', ...access]])),
  [[]],
  [['nginx-gateway']],
  [['temporal-cloud', 'monitoring']],
];

export const isWorkload = ({ kind }: Manifest) => ['Deployment', 'Job', 'WorkerDeployment'].includes(kind);

/** The folder of a production overlay with these components and settings in place of its own. */
export function overlayWith(components: string[], settings: string[] = []): string {
  const copy = mkdtempSync(`${FOLDER}/overlay-`);
  cpSync(path.join(checkout, 'deploy'), copy, { recursive: true });
  const overlay = path.join(copy, 'kubernetes', 'overlays', 'production');
  const file = path.join(overlay, 'kustomization.yaml');
  const kustomization = parse(readFileSync(file, 'utf8')) as Manifest;
  kustomization.components = components.map((name) => `../../components/${name}`);
  kustomization.configMapGenerator[0].literals.push(...settings);
  writeFileSync(file, JSON.stringify(kustomization));
  return overlay;
}
