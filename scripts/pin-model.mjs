/** `node scripts/pin-model.mjs`: pins the model in plugin/model, after an export, by the hash of its list of files. */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { root } from './_setup.mjs';

const manifest = fs.readFileSync(path.join(root, 'plugin', 'model', 'model.json'));
const hash = createHash('sha256').update(manifest).digest('hex');
const { version } = JSON.parse(manifest.toString('utf8'));
const file = path.join(root, 'src', 'models', 'small', 'pinned.ts');
const source = fs
  .readFileSync(file, 'utf8')
  .replace(/(SMALL_VERSION = )'[^']*'/, `$1'${version}'`)
  .replace(/(MANIFEST_SHA256 = )'[^']*'/, `$1'${hash}'`);
fs.writeFileSync(file, source);
console.log(`pinned ${version}, ${hash}`);
