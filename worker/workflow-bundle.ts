import path from 'node:path';

/** The finished workflow bundle beside the built worker. */
export const WORKFLOW_BUNDLE = path.join(__dirname, 'workflows.bundle.js');
