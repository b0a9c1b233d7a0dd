/** Lists the subagents of a Claude Code session: `<session>/subagents/agent-<id>.jsonl`, each with a `.meta.json`. */
import { given } from '../../../core/index.ts';
import { basename, dirname, join } from 'node:path';
import { namesIn, readText, STATE_BYTES } from '../../../files/index.ts';
import type { Subagent } from '../../transcript.ts';
import { parseObject, textOf } from '../../reading/json.ts';

const TRANSCRIPT = /^agent-(.+)\.jsonl$/;

/** Empty without the folder. A subagent without its `.meta.json` (old versions) is listed too. */
export async function subagentsOf(transcriptPath: string): Promise<readonly Subagent[]> {
  const folder = join(dirname(transcriptPath), basename(transcriptPath, '.jsonl'), 'subagents');
  const names = listed(folder);
  const found = names.flatMap((name) => {
    const id = TRANSCRIPT.exec(name)?.[1];
    return id === undefined ? [] : [{ id, path: join(folder, name) }];
  });
  return Promise.all(
    found.map(async ({ id, path }) => ({ id, path, ...given({ toolUseId: await callOf(path) }) })),
  );
}

function listed(folder: string): readonly string[] {
  try {
    return namesIn(folder);
  } catch {
    return []; // no permission
  }
}

async function callOf(path: string): Promise<string | undefined> {
  const text = await readText(path.replace(/\.jsonl$/, '.meta.json'), STATE_BYTES).catch(() => '');
  return textOf(parseObject(text)?.['toolUseId']);
}

/** `<session>/subagents/agent-<id>.jsonl` → `<session>.jsonl`. */
export function mainOf(subagentPath: string): string {
  return `${dirname(dirname(subagentPath))}.jsonl`;
}
