import fc from 'fast-check';

// The suite plays the same cases each time; GDX_SEED looks for others.
fc.configureGlobal({ seed: Number(process.env.GDX_SEED ?? 20261121) });
