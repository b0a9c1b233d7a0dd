/**
 * A copy of the machine's PostgreSQL with pgvector in it, for the tests. The machine's own installation stays as it is,
 * so that the other tests run without pgvector. The extension comes from the release's package where there is one; on
 * Debian 12 it is built from the source package of Debian 13. Needs apt-get, but no root if gcc and make are installed.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { withLock } from './_lock.mjs';
import { runQuietly } from './_setup.mjs';

/** The release whose source package is new enough (pgvector 0.8); the server uses no older version. */
const SOURCE_RELEASE = 'trixie';
const OLDEST = [0, 8];
/** As root not in root's home folder, because PostgreSQL runs as another user, who cannot enter that. */
const CACHE_OF_ROOT = '/var/cache/tidemark';

/**
 * @param {string} bin the folder of the machine's PostgreSQL programs
 * @param {{cache: string, mayBuild: boolean, install: (name: string) => Promise<unknown>, say: (text: string) => void}} options
 * @returns {Promise<{path: string} | {missing: string}>} the folder of the copy's programs
 */
export async function postgresqlWithPgvector(bin, { cache, mayBuild, install, say }) {
  const major = /^\/usr\/lib\/postgresql\/(\d+)\/bin$/.exec(bin)?.[1];
  if (!major)
    return { missing: `pgvector is only built for PostgreSQL of Debian's packages, not for ${bin}` };
  const printed = spawnSync(path.join(bin, 'postgres'), ['--version'], { encoding: 'utf8' }).stdout ?? '';
  const version = /\d+(?:\.\d+)*/.exec(printed)?.[0] ?? major;
  const root = process.getuid?.() === 0 ? CACHE_OF_ROOT : cache;
  const folder = path.join(root, `postgresql-${version}-pgvector`);
  const programs = path.join(folder, 'usr/lib/postgresql', major, 'bin');
  if (hasPgvector(folder, major)) return { path: programs };
  if (!mayBuild) return { missing: 'pgvector is built by npm test -- --long or --only pgvector' };
  const waiting = () => say('pgvector is being built by another run, waiting…');
  return withLock(
    `${folder}.lock`,
    async () => {
      if (hasPgvector(folder, major)) return { path: programs };
      const fresh = `${folder}.${process.pid}.new`;
      try {
        say('copying PostgreSQL and adding pgvector for the tests (once per machine)…');
        await make(fresh, major, install);
        fs.rmSync(folder, { recursive: true, force: true });
        fs.renameSync(fresh, folder);
        return { path: programs };
      } catch (error) {
        return { missing: `pgvector could not be added to PostgreSQL ${major} (${error.message})` };
      } finally {
        fs.rmSync(fresh, { recursive: true, force: true });
      }
    },
    waiting,
  );
}

/** PostgreSQL finds its files relative to its program, so the copy needs the same layout below another root. */
async function make(root, major, install) {
  for (const part of ['usr/lib/postgresql', 'usr/share/postgresql'])
    fs.cpSync(path.join('/', part, major), path.join(root, part, major), {
      recursive: true,
      dereference: true,
    });
  const work = path.join(root, 'work');
  fs.mkdirSync(work);
  const hasPackage = await unpack(`postgresql-${major}-pgvector`, work, root).then(
    () => hasPgvector(root, major),
    () => false,
  );
  if (!hasPackage) await build(root, major, work, install);
  fs.rmSync(work, { recursive: true });
  fs.rmSync(path.join(root, 'usr/include'), { recursive: true, force: true });
  if (!hasPgvector(root, major)) throw new Error('the build left no extension');
}

async function build(root, major, work, install) {
  if (!works('make') || !works('gcc')) await install('build-essential');
  await unpack(`postgresql-server-dev-${major}`, work, root);
  const source = await fetchSource(work);
  const config = path.join(root, 'usr/lib/postgresql', major, 'bin/pg_config');
  // Plain flags, as in Debian's package; no bitcode, which needs clang.
  const flags = ['-s', `PG_CONFIG=${config}`, 'OPTFLAGS=', 'with_llvm=no'];
  await must('make', flags, source);
  await must('make', [...flags, 'install'], source);
}

/** Unpacks a package into `root` without installing it. */
async function unpack(name, work, root) {
  const download = () => must('apt-get', ['download', '-q', name], work);
  await download().catch(async (error) => {
    // The lists of packages may be missing in a container.
    if (process.getuid?.() !== 0) throw error;
    await must('apt-get', ['-o', 'DPkg::Lock::Timeout=300', 'update', '-q'], work);
    await download();
  });
  const file = fs.readdirSync(work).find((one) => one.startsWith(`${name}_`));
  await must('dpkg', ['-x', file, root], work);
}

/** Fetches the source from the configured archive, with lists of its own. apt checks the signature. */
async function fetchSource(work) {
  const apt = path.join(work, 'apt');
  for (const folder of ['sources', 'lists/partial', 'cache/archives/partial'])
    fs.mkdirSync(path.join(apt, folder), { recursive: true });
  const { uri, signedBy } = debianArchive();
  const lines = ['Types: deb-src', `URIs: ${uri}`, `Suites: ${SOURCE_RELEASE}`, 'Components: main'];
  if (signedBy) lines.push(`Signed-By: ${signedBy}`);
  fs.writeFileSync(path.join(apt, 'sources/release.sources'), `${lines.join('\n')}\n`);
  const settings = {
    'Dir::Etc::SourceList': '/dev/null',
    'Dir::Etc::SourceParts': path.join(apt, 'sources'),
    'Dir::State::Lists': path.join(apt, 'lists'),
    'Dir::Cache': path.join(apt, 'cache'),
  };
  const options = Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
  await must('apt-get', [...options, 'update', '-q'], work);
  await must('apt-get', [...options, 'source', '-q', '--download-only', 'pgvector'], work);
  const archive = fs.readdirSync(work).find((one) => /^pgvector_.*\.orig\.tar\./.test(one));
  if (!archive) throw new Error(`the source of pgvector is not in ${SOURCE_RELEASE}`);
  const source = path.join(work, 'source');
  fs.mkdirSync(source);
  await must('tar', ['-xf', archive, '-C', source, '--strip-components=1'], work);
  return source;
}

/** Returns the address of the release's own archive, as the machine has it configured. */
function debianArchive() {
  const release = fs.readFileSync('/etc/os-release', 'utf8');
  const codename = /^VERSION_CODENAME=(\S+)/m.exec(release)?.[1];
  if (!/^ID=debian$/m.test(release) || !codename) throw new Error('this is no release of Debian');
  for (const text of sourceFiles()) {
    for (const block of text.split(/\n\s*\n/)) {
      const field = (name) => new RegExp(`^${name}:[ \\t]*(.+)$`, 'm').exec(block)?.[1]?.trim();
      if (field('Suites')?.split(/\s+/).includes(codename))
        return { uri: field('URIs'), signedBy: field('Signed-By') };
    }
    const line = new RegExp(`^deb\\s+(?:\\[[^\\]]*\\]\\s+)?(\\S+)\\s+${codename}\\s`, 'm').exec(text);
    if (line) return { uri: line[1] };
  }
  throw new Error(`apt has no archive of ${codename}`);
}

function sourceFiles() {
  const parts = '/etc/apt/sources.list.d';
  const named = fs.existsSync(parts)
    ? fs.readdirSync(parts).filter((one) => /\.(sources|list)$/.test(one))
    : [];
  return ['/etc/apt/sources.list', ...named.map((one) => path.join(parts, one))]
    .filter((file) => fs.existsSync(file))
    .map((file) => fs.readFileSync(file, 'utf8'));
}

function hasPgvector(root, major) {
  const control = path.join(root, 'usr/share/postgresql', major, 'extension/vector.control');
  const library = path.join(root, 'usr/lib/postgresql', major, 'lib/vector.so');
  if (!fs.existsSync(control) || !fs.existsSync(library)) return false;
  const [newer = 0, minor = 0] = /default_version = '([\d.]+)'/
    .exec(fs.readFileSync(control, 'utf8'))?.[1]
    ?.split('.')
    .map(Number) ?? [0];
  return newer > OLDEST[0] || (newer === OLDEST[0] && minor >= OLDEST[1]);
}

function works(program) {
  return spawnSync(program, ['--version']).status === 0;
}

async function must(program, args, cwd) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', MAKEFLAGS: '' };
  const { code, output } = await runQuietly(program, args, { cwd, env });
  if (code !== 0) throw new Error(output.trim().split('\n').at(-1) || `${program} exit ${code}`);
}
