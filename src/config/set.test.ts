import assert from 'node:assert/strict';
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { TidemarkError } from '../core/index.ts';
import { loadConfig } from './load.ts';
import { setConfig } from './set.ts';

describe('setConfig', () => {
  let folder: string;
  let places: { config: string };
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tidemark-config-'));
    places = { config: join(folder, 'home', 'config.json') };
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('makes the file for its owner only and leaves no temporary file', () => {
    assert.equal(setConfig(places, 'daemon.idleMinutes', '12'), 12);
    assert.equal(statSync(places.config).mode & 0o777, 0o600);
    assert.equal(statSync(join(folder, 'home')).mode & 0o777, 0o700);
    assert.deepEqual(readdirSync(join(folder, 'home')), ['config.json']);
    assert.equal(loadConfig({ places, env: {} }).values['daemon.idleMinutes'], 12);
  });

  it('keeps everything else in the file, also unknown keys', () => {
    setConfig(places, 'log.level', 'debug');
    writeFileSync(
      places.config,
      JSON.stringify({ ...JSON.parse(readFileSync(places.config, 'utf8')), future: 1 }),
    );
    setConfig(places, 'capture.enabled', false);
    assert.deepEqual(JSON.parse(readFileSync(places.config, 'utf8')), {
      'log.level': 'debug',
      future: 1,
      'capture.enabled': false,
    });
  });

  it('takes a setting out', () => {
    setConfig(places, 'log.level', 'debug');
    setConfig(places, 'log.level', undefined);
    assert.deepEqual(JSON.parse(readFileSync(places.config, 'utf8')), {});
  });

  it('writes through a link and leaves the link', () => {
    mkdirSync(join(folder, 'home'));
    const real = join(folder, 'dotfiles.json');
    writeFileSync(real, '{}');
    symlinkSync(real, places.config);
    setConfig(places, 'hub.port', 1);
    assert.equal(lstatSync(places.config).isSymbolicLink(), true);
    assert.deepEqual(JSON.parse(readFileSync(real, 'utf8')), { 'hub.port': 1 });
  });

  it('refuses an unknown key, a wrong value and a broken file, and changes nothing', () => {
    setConfig(places, 'hub.port', 4000);
    const code = (expected: string) => (error: unknown) =>
      error instanceof TidemarkError && error.code === expected;
    assert.throws(() => setConfig(places, 'hub.prt', '1'), code('config.unknown_key'));
    assert.throws(() => setConfig(places, 'hub.port', '70000'), code('config.wrong_value'));
    assert.equal(readFileSync(places.config, 'utf8'), '{\n  "hub.port": 4000\n}\n');
    writeFileSync(places.config, '{');
    assert.throws(() => setConfig(places, 'hub.port', '1'), code('config.broken_file'));
    assert.equal(readFileSync(places.config, 'utf8'), '{');
  });
});
