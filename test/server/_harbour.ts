/**
 * Two teams with ten projects between them, each with one memory, shared in every possible way. Ada owns team A, Ben is a
 * member and Rea a reader of it; Cid owns team B.
 */
import type { SharedProject } from '../../src/exchange/sync/index.ts';
import { entryOf, put } from '../support/team.ts';
import type { Api, Person } from './_api.ts';

export type Name = 'ada' | 'ben' | 'rea' | 'cid';
export type Reach = 'write' | 'read' | 'none';

export interface Case {
  readonly name: string;
  readonly maker: Name;
  readonly share: readonly (readonly [who: Name | 'everyone', access: 'read' | 'write'])[];
  readonly reach: Readonly<Record<Name, Reach>>;
}

/** The access of each person to each project, which every route must respect. */
export const CASES: readonly Case[] = [
  {
    name: 'open',
    maker: 'ada',
    share: [['everyone', 'write']],
    reach: { ada: 'write', ben: 'write', rea: 'read', cid: 'none' },
  },
  {
    name: 'notices',
    maker: 'ada',
    share: [['everyone', 'read']],
    reach: { ada: 'write', ben: 'read', rea: 'read', cid: 'none' },
  },
  { name: 'of Ada', maker: 'ada', share: [], reach: { ada: 'write', ben: 'none', rea: 'none', cid: 'none' } },
  {
    name: 'Ada and Ben',
    maker: 'ada',
    share: [['ben', 'write']],
    reach: { ada: 'write', ben: 'write', rea: 'none', cid: 'none' },
  },
  {
    name: 'Ben reads',
    maker: 'ada',
    share: [['ben', 'read']],
    reach: { ada: 'write', ben: 'read', rea: 'none', cid: 'none' },
  },
  { name: 'of Ben', maker: 'ben', share: [], reach: { ada: 'none', ben: 'write', rea: 'none', cid: 'none' } },
  {
    name: 'Ben and the reader',
    maker: 'ben',
    share: [
      ['ada', 'read'],
      ['rea', 'write'], // the role still forbids it
    ],
    reach: { ada: 'read', ben: 'write', rea: 'read', cid: 'none' },
  },
  {
    name: 'open in B',
    maker: 'cid',
    share: [['everyone', 'write']],
    reach: { ada: 'none', ben: 'none', rea: 'none', cid: 'write' },
  },
  { name: 'of Cid', maker: 'cid', share: [], reach: { ada: 'none', ben: 'none', rea: 'none', cid: 'write' } },
  {
    name: 'the same folder in B', // has the key of "open"
    maker: 'cid',
    share: [['everyone', 'read']],
    reach: { ada: 'none', ben: 'none', rea: 'none', cid: 'write' },
  },
];

export interface Place extends Case {
  readonly id: string;
  readonly memory: string;
  /** A word that only the memory of this project contains. */
  readonly word: string;
}

export interface Harbour {
  readonly people: Readonly<Record<Name, Person>>;
  readonly places: readonly Place[];
}

export async function makeHarbour(api: Api): Promise<Harbour> {
  const ada = await api.team('A', 'Ada');
  const ben = await api.member(ada.team, 'Ben', 'member');
  const rea = await api.member(ada.team, 'Rea', 'reader');
  const cid = await api.team('B', 'Cid');
  const people = { ada, ben, rea, cid };
  const places: Place[] = [];
  for (const [i, one] of CASES.entries()) places.push(await makePlace(api, people, one, i));
  return { people, places };
}

export function idOfKey(person: Person): string {
  return person.key.split('_')[1] ?? '';
}

async function makePlace(api: Api, people: Harbour['people'], one: Case, i: number): Promise<Place> {
  const { key } = people[one.maker];
  const keys = [one.name === 'the same folder in B' ? 'git:open' : `git:${one.name}`];
  const wanted = { name: one.name, keys, with: 'nobody' };
  const { id } = (await api.ask<SharedProject>(key, 'POST', '/v1/projects', wanted)).body;
  for (const [who, access] of one.share) {
    const member = who === 'everyone' ? who : people[who].id;
    await api.ask(key, 'PUT', `/v1/projects/${id}/shares/${member}`, { access });
  }
  const word = `lantern${i}`;
  const entry = entryOf(`The ${word} is lit at dusk`);
  const changes = { changes: [put(entry)], idempotencyKey: `harbour-${i}` };
  const pushed = await api.ask(key, 'POST', `/v1/projects/${id}/changes`, changes);
  if (pushed.status !== 200) throw new Error(pushed.text);
  return { ...one, id, memory: entry.id, word };
}
