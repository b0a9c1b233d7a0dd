/** `tidemark server member remove` and `export`: shows what a member has, then hands over, removes and erases. */
import { escapedJson, plainLine } from '../../../core/index.ts';
import type { Leaving } from '../../../server/index.ts';
import { confirm } from '../../ask.ts';
import { counted } from '../../screen.ts';
import { optionText, usageError, type Context } from '../../verb.ts';
import { operate, type Operator } from './_server-program.ts';

interface Who {
  readonly team: string | undefined;
  readonly who: string;
}

export async function removeMember(context: Context, at: Who): Promise<void> {
  const { options, screen } = context;
  const isErasing = Boolean(options['erase']);
  const handOver = optionText(options, 'hand-over') || undefined;
  await operate(context, async (operator) => {
    const leaving = await operator.memberHoldings(at);
    const lost = handOver === undefined ? aloneIn(leaving) : [];
    if (!options['json']) for (const line of leavingLines(leaving)) screen.print(line);
    if (options['dry-run']) {
      if (options['json']) return screen.json({ dryRun: true, ...leaving });
      screen.print('\nNothing was changed (--dry-run).');
      return;
    }
    const { member } = leaving;
    if (member.removedAt !== undefined && !isErasing && handOver === undefined)
      throw usageError(
        `${plainLine(member.name)} was removed on ${member.removedAt.slice(0, 10)}`,
        'Add --erase to forget their memories, or --hand-over <member> to give their projects to another member.',
      );
    if (lost.length > 0 && !options['json'])
      screen.say(
        `No one else can read ${lost.join(', ')}. Give them to another member with --hand-over <member>; later an owner can still share them with themselves.`,
      );
    if (!(await confirm(context, questionFor(leaving, isErasing)))) return screen.say('Nothing was changed.');
    // By id from here on: the name of a removed member can belong to another one.
    const same = { team: at.team, who: member.id };
    const { handedOver } = await operator.removeMember({ ...same, ...(handOver ? { handOver } : {}) });
    const erased = isErasing ? await eraseAll(context, operator, same) : undefined;
    if (options['json']) return screen.json({ member, handedOver, ...(erased ? { erased } : {}) });
    screen.print(
      `\n${plainLine(member.name)} (${member.id}) was removed from the team. Their keys are refused from the next request on.`,
    );
    if (handedOver.length > 0)
      screen.print(`Handed over to ${plainLine(handOver ?? '')}: ${counted(handedOver.length, 'project')}.`);
    if (erased)
      screen.print(
        `Forgotten: ${counted(erased.memories, 'memory')}, ${counted(erased.revisions, 'replaced text')}, ${counted(erased.messages, 'message')}. Other machines drop them with their next exchange.`,
      );
    screen.say('What is on their own machine stays there: see docs/server.md#a-member-leaves');
  });
}

/** Prints the memories of one member as lines of Tidemark's own export. */
export async function exportMember(context: Context, at: Who): Promise<void> {
  const { screen } = context;
  await operate(context, async (operator) => {
    let memories = 0;
    let from: Awaited<ReturnType<Operator['exportMember']>>['next'];
    do {
      const page = await operator.exportMember({ ...at, ...(from ? { from } : {}) });
      if (page.lines !== '') screen.print(escapedJson(page.lines).trimEnd());
      memories += page.memories;
      from = page.next;
    } while (from !== undefined);
    screen.say(`${counted(memories, 'memory')}. Read them on a machine with: tidemark import file <file>`);
  });
}

async function eraseAll({ screen }: Context, operator: Operator, at: Who) {
  const sum = { memories: 0, revisions: 0, messages: 0 };
  for (;;) {
    const { isDone, memories, revisions, messages } = await operator.eraseMember(at);
    sum.memories += memories;
    sum.revisions += revisions;
    sum.messages += messages;
    if (isDone) break;
    screen.progress(`Forgetting… ${counted(sum.memories, 'memory')}`);
  }
  screen.done();
  return sum;
}

function leavingLines({ member, keys, visits, machines, projects, messages }: Leaving): readonly string[] {
  const created = projects.filter((one) => one.created).map(({ name }) => plainLine(name));
  const withMemories = projects.filter(({ memories }) => memories > 0);
  const state = member.removedAt ? `removed on ${member.removedAt.slice(0, 10)}` : member.role;
  return [
    `${plainLine(member.name)} (${member.id}), ${state}, in the team since ${member.createdAt.slice(0, 10)}`,
    `Keys:      ${keys.length} valid${keys.length > 0 ? `: ${keys.map(({ id, lastUsedAt }) => `${id} (${lastUsedAt ? `used ${lastUsedAt.slice(0, 10)}` : 'never used'})`).join(', ')}` : ''}`,
    `Hub:       ${visits} open visits`,
    `Machines:  ${machines.length === 0 ? 'none seen' : machines.map(({ name, memories, last }) => `${plainLine(name)} (${counted(memories, 'memory')}, last ${last.slice(0, 10)})`).join(', ')}`,
    `Created:   ${created.length === 0 ? 'no project' : created.join(', ')}`,
    `Memories:  ${withMemories.length === 0 ? 'none' : withMemories.map(({ name, memories }) => `${memories} in ${plainLine(name)}`).join(', ')}`,
    ...(aloneIn({ projects }).length > 0 ? [`Only they can read: ${aloneIn({ projects }).join(', ')}`] : []),
    ...(messages > 0 ? [`Messages that are not memories yet: ${messages}`] : []),
  ];
}

function aloneIn({ projects }: Pick<Leaving, 'projects'>): readonly string[] {
  return projects.filter(({ shared, alone }) => shared && alone).map(({ name }) => plainLine(name));
}

function questionFor({ member, projects }: Leaving, isErasing: boolean): string {
  const name = plainLine(member.name);
  if (!isErasing) return `Remove ${name}? What they shared stays, with their name.`;
  const memories = projects.reduce((sum, one) => sum + one.memories, 0);
  return `Remove ${name} and forget their ${memories} memories for everyone? This cannot be undone.`;
}
