import assert from 'node:assert/strict';
import fs, {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { currentHooks, oldHooks as oldText } from '../../test/support/old-hooks.ts';
import { inNewForm, oldHooks, replaceOldHooks } from './hook-form.ts';

describe('the hooks of an older version', () => {
  it('become what the plugin has today', () => {
    assert.ok(oldText().includes('"args"'));
    assert.deepEqual(JSON.parse(inNewForm(oldText()) ?? ''), JSON.parse(currentHooks()));
  });

  it('are recognised: entries that are safe or not ours, and broken files, are left alone', () => {
    const other = {
      hooks: { Stop: [{ hooks: [{ type: 'command', command: 'sh', args: ['/x/other.sh', 'Stop'] }] }] },
    };
    const ours = { type: 'command', command: 'sh', args: ['${CLAUDE_PLUGIN_ROOT}/hooks/hook.sh', '$(x)'] };
    for (const text of [currentHooks(), JSON.stringify(other), JSON.stringify(ours), '{', ''])
      assert.equal(inNewForm(text), undefined, text);
  });

  it('are found and replaced in every copy that Claude Code, Codex and Qwen Code made', (t) => {
    const { places, env, manifests } = machine(t);
    assert.deepEqual([...oldHooks(places, env)].sort(), [...manifests].sort());
    assert.deepEqual([...replaceOldHooks(places, env)].sort(), [...manifests].sort());
    for (const path of manifests) {
      assert.deepEqual(JSON.parse(readFileSync(path, 'utf8')), JSON.parse(currentHooks()), path);
      assert.equal(statSync(path).mode & 0o777, 0o640);
    }
    assert.deepEqual(oldHooks(places, env), []);
    assert.deepEqual(replaceOldHooks(places, env), []);
  });

  it('that cannot be replaced are named, after the others were', (t) => {
    const { places, env, manifests } = machine(t);
    const [stuck = '', ...others] = manifests;
    const rename = fs.renameSync;
    t.mock.method(fs, 'renameSync', (from: string, to: string) => {
      if (to === stuck) throw new Error('EACCES');
      rename(from, to);
    });
    syncBuiltinESMExports();
    t.after(() => syncBuiltinESMExports());
    assert.throws(() => replaceOldHooks(places, env), {
      code: 'old-hooks',
      message: `unsafe hooks of an older version remain in ${stuck}`,
    });
    assert.deepEqual(oldHooks(places, env), [stuck]);
    assert.ok(others.every((path) => existsSync(path)));
  });
});

interface Played {
  readonly places: { readonly app: string };
  readonly env: NodeJS.ProcessEnv;
  readonly manifests: readonly string[];
}

/** A machine where every agent has a copy with the old form. */
function machine(t: TestContext): Played {
  const root = mkdtempSync(join(tmpdir(), 'hook-form-'));
  t.after(() => rmSync(root, { recursive: true }));
  const at = (...parts: string[]): string => join(root, ...parts);
  const env = { CLAUDE_CONFIG_DIR: at('claude'), CODEX_HOME: at('codex'), QWEN_HOME: at('qwen') };
  const manifests = [
    at('app', 'plugin'),
    at('claude', 'plugins', 'cache', 'tidemark', 'tidemark', '0.0.9'),
    at('claude', 'plugins', 'cache', 'tidemark', 'tidemark', '0.1.0'),
    at('elsewhere', 'copy'),
    at('codex', 'plugins', 'cache', 'my-market', 'tidemark', '0.1.0'),
    at('qwen', 'extensions', 'tidemark'),
  ].map((plugin) => join(plugin, 'hooks', 'hooks.json'));
  for (const path of manifests) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, oldText(), { mode: 0o640 });
  }
  const copy = { version: '0.1.0', installPath: at('elsewhere', 'copy') };
  writeFileSync(
    at('claude', 'plugins', 'installed_plugins.json'),
    JSON.stringify({ plugins: { 'tidemark@tidemark': [copy] } }),
  );
  return { places: { app: at('app') }, env, manifests };
}
