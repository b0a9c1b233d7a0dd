/** The server against the official SDK's client, in every revision of the protocol that it supports. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { shortId } from '../../src/core/index.ts';
import { Machine } from '../support/machine.ts';
import { connect, skip, type Era, type McpClient } from './_client.ts';

const NAMES = ['search', 'show', 'transcript', 'timeline', 'remember', 'resolve', 'forget', 'projects'];
const REVISION: Readonly<Record<Era, string>> = {
  handshake: '2025-11-25',
  auto: '2026-07-28',
  stateless: '2026-07-28',
};

for (const era of ['handshake', 'auto', 'stateless'] as const) {
  describe(`a client that connects with ${era}`, () => {
    test('gets name, instructions and tools without a daemon', { skip }, async (t) => {
      const machine = Machine.open(t);
      const client = await connect(t, machine, era);
      assert.equal(client.getNegotiatedProtocolVersion(), REVISION[era]);
      assert.equal(client.getServerVersion().name, 'tidemark');
      assert.match(client.getInstructions(), /search.*show.*transcript/s);
      const { tools } = await client.listTools();
      assert.deepEqual(
        tools.map(({ name }) => name),
        NAMES,
      );
      for (const { description } of tools) assert.ok(description.length > 60);
      assert.deepEqual(machine.daemons(), []);
    });

    test('remembers, finds, opens and forgets', { skip }, async (t) => {
      const client = await connect(t, Machine.open(t), era);
      const id = await remembered(client, 'Refresh tokens rotate on every use');
      assert.match(
        await said(client, 'search', { query: 'refresh tokens' }),
        new RegExp(`${shortId(id)} decision.*Refresh`),
      );
      assert.match(await said(client, 'show', { ids: [id] }), /Why: stolen ones die early/);
      assert.match(await said(client, 'forget', { ids: [id] }), new RegExp(`Forgot ${shortId(id)}`));
      assert.match(await said(client, 'search', { query: 'refresh tokens' }), /No matches/);
    });

    test('finds a memory by its search phrases', { skip }, async (t) => {
      const client = await connect(t, Machine.open(t), era);
      const concepts = ['requests hang under load', 'too many clients'];
      await said(client, 'remember', { title: 'The pool holds 20 connections', concepts });
      assert.match(await said(client, 'search', { query: 'too many clients' }), /The pool holds 20/);
    });

    test('gets an error for a wrong call, and continues', { skip }, async (t) => {
      const client = await connect(t, Machine.open(t), era);
      for (const [name, args, problem] of [
        ['search', {}, /"query" is required/],
        ['search', { query: 5 }, /"query" must be a text/],
        ['search', { query: 'x', limit: 99 }, /from 1 to 50/],
        ['search', { query: 'x', words: 'y' }, /no argument "words"; known: query, all, limit/],
        [
          'show',
          { ids: ['nope'] },
          /there is no memory nope\. It was forgotten or mistyped\. Ids come from search/,
        ],
        ['show', { ids: [] }, /a list of 1 to 20/],
        ['transcript', { id: 'nope' }, /no memory, turn or session nope/],
        ['timeline', { around: 'nope' }, /neither the id of a memory nor a day/],
        ['forget', { ids: ['nope'] }, /nothing was forgotten/],
        ['resolve', { ids: ['nope'] }, /Ids come from search/],
        ['remember', { title: 'x', kind: 'wish' }, /"kind" must be one of decision, /],
      ] as const) {
        const result = await client.callTool({ name, arguments: args });
        assert.equal(result.isError, true, `${name} ${JSON.stringify(args)}`);
        assert.match(result.content[0]?.text ?? '', problem);
      }
      for (const [query, problem] of [
        ['kind:wish', /^Not understood: kind:wish: a kind is one of decision, .*\nNo matches/],
        ['since:whenever tide', /^Not understood: since:whenever: not a time\. Try 3d or 2026-11-01/],
        ['project:nowhere tide', /^Not understood: project:nowhere: no project has this name/],
      ] as const)
        assert.match(await said(client, 'search', { query }), problem);
      await assert.rejects(client.callTool({ name: 'nope', arguments: {} }), { code: -32602 });
      assert.match(await said(client, 'projects', {}), /No projects yet|memories/);
    });

    test('can cancel a call; the next one is answered', { skip }, async (t) => {
      const client = await connect(t, Machine.open(t), era);
      const cancel = new AbortController();
      const call = client.callTool({ name: 'search', arguments: { query: 'x' } }, { signal: cancel.signal });
      cancel.abort();
      await assert.rejects(call);
      assert.match(await said(client, 'search', { query: 'x' }), /No matches/);
    });
  });
}

async function said(client: McpClient, name: string, args: object): Promise<string> {
  const { content, isError } = await client.callTool({ name, arguments: args });
  const text = content.map((block) => block.text).join('\n');
  assert.ok(!isError, text);
  return text;
}

async function remembered(client: McpClient, title: string): Promise<string> {
  const args = { title, kind: 'decision', reason: 'stolen ones die early', files: ['auth.ts'] };
  const [, id = ''] = /as (\S+)/.exec(await said(client, 'remember', args)) ?? [];
  return id;
}
