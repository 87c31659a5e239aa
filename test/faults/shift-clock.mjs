// Loaded before a process of a fault: its clock is off by as many milliseconds as stand in the file of GDX_TEST_CLOCK.
import { readFileSync } from 'node:fs';

const { GDX_TEST_CLOCK: file } = process.env;
const real = Date.now;
const RealDate = Date;
let offset = 0;
const look = () => {
  offset = Number(readFileSync(file, 'utf8'));
};
look();
setInterval(look, 50).unref();

globalThis.Date = class extends RealDate {
  constructor(...args) {
    if (args.length === 0) super(real() + offset);
    else super(...args);
  }
  static now() {
    return real() + offset;
  }
};
