import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { parseValue } from './_value.ts';
import { loadConfig } from './load.ts';
import {
  DEFAULT_CONFIG,
  SETTINGS,
  SETTING_KEYS,
  environmentName,
  type Setting,
  type SettingKey,
} from './settings.ts';

describe('loadConfig', () => {
  let folder: string;
  let user: string;
  let project: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tidemark-config-'));
    user = join(folder, 'config.json');
    project = join(folder, '.tidemark.json');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const load = (env: Record<string, string> = {}, flags: Record<string, string> = {}) =>
    loadConfig({ places: { config: user }, env, projectDir: folder, flags });

  it('gives the defaults when nothing is set', () => {
    const config = loadConfig({ places: { config: user }, env: {} });
    assert.deepEqual(config.values, DEFAULT_CONFIG);
    assert.equal(config.origins['hub.port'], 'default');
    assert.deepEqual(config.problems, []);
  });

  it('reads a file with a byte order mark and Windows line ends, and names the right line in it', () => {
    writeFileSync(user, '\uFEFF{\r\n  "log.level": "warn",\r\n  "hub.prt": 1\r\n}\r\n');
    const { values, problems } = load();
    assert.equal(values['log.level'], 'warn');
    assert.deepEqual(
      problems.map(({ line, hint }) => [line, hint]),
      [[3, 'Did you mean "hub.port"?']],
    );
  });

  describe('with a team', () => {
    const withTeam = (
      team: object,
      more: { env?: Record<string, string>; own?: object; project?: object } = {},
    ) => {
      const teamSettings = join(folder, 'team-settings.json');
      writeFileSync(teamSettings, JSON.stringify(team));
      writeFileSync(user, JSON.stringify(more.own ?? {}));
      writeFileSync(project, JSON.stringify(more.project ?? {}));
      return loadConfig({ places: { config: user, teamSettings }, env: more.env ?? {}, projectDir: folder });
    };

    it('lets the stricter value win', () => {
      const longer = withTeam({ 'share.delayMinutes': 120 }, { own: { 'share.delayMinutes': 5 } });
      assert.equal(longer.values['share.delayMinutes'], 120);
      assert.equal(longer.origins['share.delayMinutes'], 'team');
      const own = withTeam({ 'share.delayMinutes': 10 }, { own: { 'share.delayMinutes': 60 } });
      assert.equal(own.values['share.delayMinutes'], 60);
      assert.equal(own.origins['share.delayMinutes'], 'user');
      const ignored = withTeam(
        { 'capture.ignore': ['~/clients'] },
        { own: { 'capture.ignore': ['~/mine'] } },
      );
      assert.deepEqual(ignored.values['capture.ignore'], ['~/mine', '~/clients']);
    });

    it('allows no driver of a third party where the team forbids it', () => {
      const env = { TIDEMARK_EMBED_DRIVER: 'openai' };
      const { values, origins } = withTeam({ 'models.localOnly': true }, { env });
      assert.deepEqual([values['embed.driver'], origins['embed.driver']], ['local', 'team']);
    });

    it('cannot be undone by a project file, the environment or a flag', () => {
      const env = { TIDEMARK_NOTES_REVIEW: 'false' };
      const { values } = withTeam({ 'notes.review': true }, { env, project: { 'notes.review': false } });
      assert.equal(values['notes.review'], true);
    });

    it('ignores unknown settings, wrong values and a damaged file', () => {
      const { values, problems } = withTeam({ 'share.delayMinutes': 'long', 'hub.port': 1, later: 3 });
      assert.deepEqual(values, DEFAULT_CONFIG);
      assert.deepEqual(problems, []);
      writeFileSync(join(folder, 'team-settings.json'), '{');
      assert.deepEqual(load().values, DEFAULT_CONFIG);
    });
  });

  it('lets flag, environment, project file and user file win in this order', () => {
    writeFileSync(
      user,
      JSON.stringify({ 'recall.briefTokens': 1001, 'recall.promptLimit': 3, 'log.level': 'warn' }),
    );
    writeFileSync(project, JSON.stringify({ 'recall.briefTokens': 1002, 'recall.promptLimit': 2 }));
    const env = { TIDEMARK_RECALL_BRIEF_TOKENS: '1003' };
    assert.equal(load(env, { 'recall.briefTokens': '1004' }).values['recall.briefTokens'], 1004);
    const config = load(env);
    assert.equal(config.values['recall.briefTokens'], 1003);
    assert.equal(config.values['recall.promptLimit'], 2);
    assert.equal(config.values['log.level'], 'warn');
    assert.deepEqual(
      [
        config.origins['recall.briefTokens'],
        config.origins['recall.promptLimit'],
        config.origins['log.level'],
      ],
      ['environment', 'project', 'user'],
    );
  });

  it('names the nearest setting for a misspelt key', () => {
    writeFileSync(user, JSON.stringify({ 'capture.enabld': false, 'brief.briefTokens': 5, zebra: 1 }));
    const hints = load().problems.map((problem) => problem.hint);
    assert.equal(hints[0], 'Did you mean "capture.enabled"?');
    assert.equal(hints[1], 'Did you mean "recall.briefTokens"?');
    assert.match(hints[2] ?? '', /^List them: tidemark config$/);
  });

  it('names the nearest variable for a misspelt one and leaves variables that are no settings alone', () => {
    const { problems } = load({
      TIDEMARK_HUB_PROT: '1',
      TIDEMARK_HOME: '/x',
      TIDEMARK_NESTED: '1',
      PATH: '/bin',
    });
    assert.deepEqual(
      problems.map((problem) => problem.hint),
      ['Did you mean TIDEMARK_HUB_PORT?'],
    );
  });

  it('never repeats a value of the environment in a problem', () => {
    const { problems } = load({ TIDEMARK_HUB_PORT: 'sk-secret' });
    assert.equal(problems.length, 1);
    assert.doesNotMatch(JSON.stringify(problems), /sk-secret/);
  });

  for (const [name, content] of [
    ['broken JSON', '{"capture.enabled": fal'],
    ['an array', '[]'],
    ['an empty file', ''],
    ['a bare string', '"x"'],
  ] as const) {
    it(`takes ${name} as empty and says so`, () => {
      writeFileSync(user, content);
      const config = load();
      assert.deepEqual(config.values, DEFAULT_CONFIG);
      assert.equal(config.problems.length, 1);
      assert.equal(config.problems[0]?.where, user);
    });
  }

  it('keeps the good settings of a file with a wrong value', () => {
    writeFileSync(user, JSON.stringify({ 'hub.port': 'often', 'daemon.idleMinutes': 5 }));
    const config = load();
    assert.equal(config.values['daemon.idleMinutes'], 5);
    assert.equal(config.values['hub.port'], DEFAULT_CONFIG['hub.port']);
    assert.match(config.problems[0]?.reason ?? '', /"hub.port" must be a whole number from 0 to 65535/);
  });

  it('falls through to the next source when a value is wrong', () => {
    writeFileSync(user, JSON.stringify({ 'recall.promptLimit': 2 }));
    assert.equal(load({ TIDEMARK_RECALL_PROMPT_LIMIT: 'lots' }).values['recall.promptLimit'], 2);
  });

  it("does not let a project's file open ports, choose who reads memories or change what is ignored", () => {
    writeFileSync(
      project,
      JSON.stringify({ 'hub.port': 80, 'embed.driver': 'openai', 'capture.ignore': [] }),
    );
    const config = load();
    assert.equal(config.problems.length, 3);
    assert.equal(config.origins['hub.port'], 'default');
  });

  it('reads switches, numbers and lists from the environment', () => {
    const { values } = load({
      TIDEMARK_CAPTURE_ENABLED: 'off',
      TIDEMARK_CAPTURE_IGNORE: '~/secret, /tmp/*',
      TIDEMARK_DAEMON_IDLE_MINUTES: '7',
    });
    assert.equal(values['capture.enabled'], false);
    assert.deepEqual(values['capture.ignore'], ['~/secret', '/tmp/*']);
    assert.equal(values['daemon.idleMinutes'], 7);
  });

  it('survives a config path that is a folder', () => {
    const config = loadConfig({ places: { config: folder }, env: {} });
    assert.match(config.problems[0]?.reason ?? '', /is not a regular file/);
  });

  /** The settings of a project's file, as [user, project, in force]. Every other setting is the user's alone. */
  const BY_A_PROJECT: Readonly<Record<string, readonly (readonly [unknown, unknown, unknown])[]>> = {
    'capture.enabled': [
      [undefined, false, false],
      [true, false, false],
      [false, true, false],
    ],
    'recall.enabled': [
      [undefined, false, false],
      [false, true, false],
    ],
    'recall.briefTokens': [
      [undefined, 300, 300],
      [undefined, 2500, 1500],
      [200, 1500, 200],
    ],
    'recall.promptLimit': [
      [undefined, 0, 0],
      [0, 3, 0],
      [1, 2, 1],
    ],
    'notes.review': [
      [undefined, true, true],
      [true, false, true],
      [false, true, true],
    ],
  };

  for (const key of SETTING_KEYS) {
    const rows = BY_A_PROJECT[key];
    if (!rows) {
      it(`a project's file cannot set ${key}`, () => {
        assert.equal(SETTINGS[key].scope, 'user');
        writeFileSync(project, JSON.stringify({ [key]: otherThan(key) }));
        const { values, origins, problems } = load();
        assert.deepEqual([values[key], origins[key]], [SETTINGS[key].default, 'default']);
        assert.match(problems[0]?.reason ?? '', /cannot be set by a project/);
      });
      continue;
    }
    it(`a project's file can only make ${key} stricter`, () => {
      for (const [own, theirs, expected] of rows) {
        writeFileSync(user, JSON.stringify(own === undefined ? {} : { [key]: own }));
        writeFileSync(project, JSON.stringify({ [key]: theirs }));
        const { values, origins, problems } = load();
        assert.equal(values[key], expected, `${String(own)}, ${String(theirs)}`);
        assert.equal(origins[key] === 'project', expected === theirs);
        const isRefused = expected !== theirs;
        assert.equal(problems.length, isRefused ? 1 : 0);
        if (isRefused) assert.match(problems[0]?.reason ?? '', /can only be made stricter by a project/);
      }
    });
  }

  it("does not let a project's file switch notes of the agent on", () => {
    writeFileSync(user, JSON.stringify({ 'capture.agentNotes': 'off' }));
    writeFileSync(project, JSON.stringify({ 'capture.agentNotes': 'answer' }));
    const { values, problems } = load();
    assert.equal(values['capture.agentNotes'], 'off');
    assert.match(problems[0]?.reason ?? '', /cannot be set by a project/);
  });

  it('takes a project file larger than 64 KB for empty and says so', () => {
    writeFileSync(project, JSON.stringify({ 'capture.enabled': false, more: 'x'.repeat(64 * 1024) }));
    const { values, problems } = load();
    assert.equal(values['capture.enabled'], true);
    assert.deepEqual(
      problems.map(({ where, reason }) => [where, reason]),
      [[project, 'is larger than 64 KB']],
    );
  });

  it('names no more than 20 of the unknown keys of a file', () => {
    const keys = Array.from({ length: 5000 }, (_, i) => [`k${i}`, 1] as const);
    writeFileSync(project, JSON.stringify({ ...Object.fromEntries(keys), 'capture.enabled': false }));
    const { values, problems } = load();
    assert.equal(problems.length, 20);
    assert.equal(values['capture.enabled'], false);
  });

  it('says of a setting of an earlier version what to do now', () => {
    writeFileSync(user, JSON.stringify({ 'distill.driver': 'api', 'distill.review': true }));
    assert.deepEqual(
      load({ TIDEMARK_DISTILL_CONSENT: 'true' }).problems.map(({ reason, hint }) => `${reason}. ${hint}`),
      [
        '"distill.consent" was removed. Nothing replaces it: no language model is used any more.',
        '"distill.driver" was removed. Nothing replaces it: no language model is used any more.',
        '"distill.review" was removed. Use "notes.review" instead.',
      ],
    );
  });

  it('reports an unknown key that is too long for a regular expression, and shows its start', () => {
    writeFileSync(project, JSON.stringify({ ['.'.repeat(40_000)]: 1, 'capture.enabled': false }));
    const { values, problems } = load();
    assert.equal(values['capture.enabled'], false);
    assert.deepEqual(
      problems.map(({ reason, line }) => [reason, line]),
      [[`"${'.'.repeat(80)}…" is not a setting`, 1]],
    );
  });
});

describe('the table of settings', () => {
  for (const key of SETTING_KEYS) {
    const setting: Setting = SETTINGS[key];
    it(`${key} has a valid default, one sentence of doc and a variable`, () => {
      assert.equal(parseValue(setting, setting.default).ok, true);
      assert.match(setting.doc, /^[A-Z].*\.$/);
      assert.match(environmentName(key), /^TIDEMARK_[A-Z_]+$/);
    });
  }
});

/** A valid value that is not the default. */
function otherThan(key: SettingKey): unknown {
  const setting: Setting = SETTINGS[key];
  switch (setting.type) {
    case 'boolean':
      return !setting.default;
    case 'integer':
      return setting.default === setting.min ? setting.max : setting.min;
    case 'choice':
      return setting.choices.find((choice) => choice !== setting.default);
    case 'text':
      return ['https://elsewhere.example', '/elsewhere', 'elsewhere'].find((text) =>
        setting.pattern.test(text),
      );
    case 'list':
      return ['m=1/1'];
  }
}
