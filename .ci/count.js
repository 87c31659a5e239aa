const { readFileSync } = require('node:fs');

// Adds up jest's reports: the last line of .ci/run, and its exit code.
const [, , otherFailures, ...reports] = process.argv;
const counts = reports.map(count);
const sum = (key) => counts.reduce((total, each) => total + each[key], 0);
const failed = sum('failed') || Number(otherFailures);
console.log(`${sum('passed')} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

/** A suite that ran no test, did not start or was interrupted has failed, and a skipped test has not passed. */
function count(file) {
  try {
    const report = JSON.parse(readFileSync(file, 'utf8'));
    const broken = report.numFailedTestSuites > 0 || report.wasInterrupted || report.numPassedTests === 0;
    const skipped = report.numPendingTests + report.numTodoTests;
    return {
      passed: report.numPassedTests,
      failed: Math.max(report.numFailedTests, broken ? 1 : 0) + skipped,
    };
  } catch {
    return { passed: 0, failed: 1 };
  }
}
