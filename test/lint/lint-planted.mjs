// Lints texts as if they stood in files of the house, by the house's own configuration: JSON in, JSON out.
//   stdin: [{ "file": "store/markers/markers.ts", "text": "..." }]   stdout: [{ "file", "refused": [{ "line", "rule", "message" }] }]
import { text } from 'node:stream/consumers';
import { ESLint } from 'eslint';

const eslint = new ESLint();
const answers = [];
for (const { file, text: planted } of JSON.parse(await text(process.stdin))) {
  const [{ messages }] = await eslint.lintText(planted, { filePath: file });
  const refused = messages.map(({ line, ruleId, message }) => ({ line, rule: ruleId, message }));
  answers.push({ file, refused });
}
process.stdout.write(JSON.stringify(answers));
