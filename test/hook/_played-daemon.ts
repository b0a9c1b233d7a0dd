/** A fake daemon: it listens, answers, and records how it was started. Exits by itself. */

/** TIDEMARK_TEST_DAEMON: `crash` (ends with 1), `deny` (403), `hang` (never answers, ignores SIGTERM), else answers. */
export const PLAYED_DAEMON = `
const fs = require('node:fs'), http = require('node:http'), path = require('node:path');
const home = process.env.TIDEMARK_HOME, run = path.join(home, 'run'), socket = path.join(run, 'daemon.sock');
const mode = process.env.TIDEMARK_TEST_DAEMON;
fs.appendFileSync(path.join(home, 'started'), process.pid + '\\n');
fs.writeFileSync(path.join(home, 'daemon-env.json'), JSON.stringify(process.env));
if (mode === 'crash') process.exit(1);
if (mode === 'hang') process.on('SIGTERM', () => {});
setTimeout(() => process.exit(0), 60000);
fs.rmSync(socket, { force: true });
const stat = fs.readFileSync('/proc/self/stat', 'latin1');
const startTime = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
http.createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    fs.appendFileSync(path.join(home, 'asked'), request.url + ' ' + Buffer.concat(chunks).toString().split('\\n')[0] + '\\n');
    if (mode === 'hang') return;
    const text = mode === 'deny' ? '' : JSON.stringify({ hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: 'from the started daemon' } });
    response.writeHead(mode === 'deny' ? 403 : 200, { 'content-length': Buffer.byteLength(text) });
    response.end(text);
  });
}).listen(socket, () => {
  fs.writeFileSync(path.join(run, 'daemon.json'), JSON.stringify({ pid: process.pid, startTime, startedAt: new Date().toISOString(), version: '0.0.0', socket, hub: null }));
  const draft = path.join(run, 'socket.tmp');
  fs.writeFileSync(draft, socket + '\\n');
  fs.renameSync(draft, path.join(run, 'socket')); // the socket exists before the pointer does
});
`;
