import path from 'node:path';

/** The built workflow bundle, beside the worker. */
export const WORKFLOW_BUNDLE = path.join(__dirname, 'workflows.bundle.js');
