/** Checks every byte sent to a server: nothing personal, ignored, unshared, in review, forgotten or secret is in it. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { plantedSecrets } from '../corpus/secrets.ts';
import { leaksInText } from '../support/leaks.ts';
import { DIST } from '../support/machine.ts';
import { SyntheticTranscript, uuid } from '../support/synthetic-transcript.ts';
import { TeamServerStandIn } from '../support/team-stand-in.ts';
import { Member } from './_member.ts';

test('only the entries of shared projects reach the server, without secrets, conversations or paths', async (t) => {
  const server = await TeamServerStandIn.open(t);
  const ada = await Member.open(t, server, server.member('Ada'));
  const { machine } = ada;
  await ada.remember('The shared decision about wallabies', {
    body: `See ${join(machine.project, 'src/a.ts')} and ${join(machine.home, '.netrc')}`,
    files: [join(machine.project, 'src/a.ts'), '/etc/hosts', join(machine.home, 'secret-plan.md')],
  });
  await talk(ada, 'We decided to call the service numbatine because nobody else does.');
  const other = join(machine.root, 'other');
  mkdirSync(other);
  const draft = { kind: 'decision' as const, body: '', facts: [], concepts: [], files: [] };
  await machine.call('remember', {
    draft: { ...draft, title: 'In another project: dunnartine' },
    dir: other,
  });
  await machine.call('remember', { draft: { ...draft, title: 'I prefer bandicootine', kind: 'preference' } });
  const { id } = await ada.remember('To be forgotten: potoroone');
  await machine.call('forget', { ids: [id] });

  const preview = await machine.cli(['share', '.', '--dry-run']);
  assert.match(preview.stdout, /wallabies/);
  assert.match(preview.stdout, /paths +removed from \d+ entr/);
  assert.equal((await machine.cli(['share', '.'])).code, 2, 'sharing needs a confirmation');
  assert.equal(server.received.includes('wallabies'), false, 'nothing is sent before the confirmation');
  await ada.share();
  assert.ok(server.received.includes('wallabies'));
  await plantByHand(ada);
  await ada.exchange();
  assert.ok(server.received.includes('planted by hand'));

  for (const verb of [
    ['share', 'personal', '--yes'],
    ['share', 'personal', '--dry-run'],
  ]) {
    const ran = await machine.cli(verb);
    assert.match(ran.stderr, /personal memories are never shared/);
  }
  for (const name of ['team.share', 'team.preview'] as const)
    await assert.rejects(machine.call(name, { project: 'personal' }), { code: 'team.personal' });

  const needles = [
    { name: 'another project', text: 'dunnartine' },
    { name: 'personal', text: 'bandicootine' },
    { name: 'forgotten', text: 'potoroone' },
    { name: 'the conversation', text: 'the-answer-of-the-agent' },
    { name: 'a path of the machine', text: machine.root },
    { name: 'a file outside', text: 'secret-plan' },
    { name: 'a file of the system', text: '/etc/hosts' },
    ...plantedSecrets(11).flatMap(({ type, needles: some }) => some.map((text) => ({ name: type, text }))),
  ];
  assert.deepEqual(leaksInText('sent', server.received, needles), []);
});

test('entries in review and entries moved to the personal project are not with the team', async (t) => {
  const server = await TeamServerStandIn.open(t);
  const ada = await Member.open(t, server, server.member('Ada'));
  const { machine } = ada;
  const made = await ada.remember('Wallabies sleep at noon');
  await ada.share();
  await machine.call('remember', {
    draft: { kind: 'preference', title: 'Mine', body: '', facts: [], concepts: [], files: [] },
  });
  await machine.call('move', { id: made.id, project: 'personal' });
  await ada.exchange();
  assert.deepEqual(
    server.entries().map(({ op }) => op),
    ['withdraw'],
  );

  writeFileSync(join(machine.project, '.tidemark.json'), JSON.stringify({ 'notes.review': true }));
  await talk(ada, 'We decided to call the service numbatine because nobody else does.');
  await ada.exchange();
  assert.ok((await machine.call('read.waiting', {})).length > 0);
  assert.equal(server.received.includes('numbatine'), false);
});

test('preferences that follow the user are never with the team, however they were said', async (t) => {
  const server = await TeamServerStandIn.open(t);
  const ada = await Member.open(t, server, server.member('Ada'));
  const { machine } = ada;
  const shared = await ada.remember('Wallabies sleep at noon');
  await ada.share();
  const byHand = await machine.cli([
    'remember',
    '--kind',
    'preference',
    '--everywhere',
    'Quokkaline, always',
  ]);
  assert.equal(byHand.code, 0, byHand.stderr);
  await talk(ada, 'In all my projects, use the bilbyline font.');
  const edited = await machine.cli(['edit', shared.id, '--everywhere', '--title', 'Kowarine sleeps']);
  assert.equal(edited.code, 0, edited.stderr);
  await ada.exchange();
  const mine = await machine.call('read.memories', { project: 'personal', limit: 10 });
  assert.equal(mine.length, 3, JSON.stringify(mine.map(({ title }) => title)));
  assert.equal(/quokkaline|bilbyline|kowarine/i.test(server.received), false);
  assert.deepEqual(
    server.entries().map(({ op }) => op),
    ['withdraw'],
  );
});

test('an ignored project cannot be shared, and a shared one that becomes ignored sends nothing more', async (t) => {
  const server = await TeamServerStandIn.open(t);
  const ada = await Member.open(t, server, server.member('Ada'));
  const { machine } = ada;
  await ada.remember('Wallabies sleep at noon');
  await ada.share();
  writeFileSync(machine.places.config, JSON.stringify({ 'capture.ignore': [machine.project] }));
  await ada.remember('Numbatine is the name');
  await ada.exchange();
  assert.equal(server.received.includes('Numbatine'), false);
  await machine.cli(['unshare', '.', '--yes']);
  const refused = await machine.cli(['share', '.', '--yes']);
  assert.match(refused.stderr, /is ignored on this machine/);
  assert.notEqual(refused.code, 0);
});

test('without a login nothing of the exchange is loaded and nothing is sent', async (t) => {
  const server = await TeamServerStandIn.open(t);
  const ada = await Member.open(t, server, server.member('Ada'));
  await ada.machine.cli(['logout']);
  const before = server.received;
  await ada.remember('Wallabies sleep at noon');
  await ada.machine.call('sweep', {});
  await assert.rejects(ada.exchange(), { code: 'team.none' });
  assert.equal(server.received, before);
  for (const program of ['hook.cjs', 'daemon.cjs', 'reader.cjs', 'writer.cjs', 'mcp.cjs'])
    assert.equal(readFileSync(join(DIST, program), 'utf8').includes('/v1/projects'), false, program);
});

async function talk({ machine }: Member, prompt: string): Promise<void> {
  const { config, project: cwd } = machine;
  const transcript = new SyntheticTranscript({ config, cwd, session: uuid(prompt) });
  transcript.append({ prompt, answer: 'Done: the-answer-of-the-agent.' });
  transcript.finish();
  await machine.deliver('SessionEnd', {
    session_id: transcript.session,
    transcript_path: transcript.path,
    reason: 'other',
  });
  await machine.drained();
}

/** Writes secrets into a journal file, as a user with an editor could. */
async function plantByHand(ada: Member): Promise<void> {
  const secrets = plantedSecrets(11).map(({ contexts }) => contexts[0] ?? '');
  const text = secrets.map((secret) => `- ${secret.replaceAll('\n', '\n  ')}`).join('\n');
  const project = await ada.project;
  await ada.rewrite(
    (day) => `${day}\n### 10:00 discovery · planted by hand ${secrets[0] ?? ''}\n\n${text}\n`,
  );
  await ada.machine.call('journal.adopt', {});
  assert.ok(
    (await ada.memories()).some(({ title, project: of }) => of === project && title.includes('planted')),
  );
}
