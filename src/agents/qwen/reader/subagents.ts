/** Lists the subagents of a Qwen Code session: `subagents/<session>/agent-<id>.jsonl`, each with a `.meta.json`. */
import { basename, dirname, join } from 'node:path';
import { given } from '../../../core/index.ts';
import { readText, STATE_BYTES } from '../../../files/index.ts';
import { parseObject, textOf } from '../../reading/json.ts';
import type { Subagent } from '../../transcript.ts';
import { subagentFiles } from './find.ts';

export async function subagentsOf(transcriptPath: string): Promise<readonly Subagent[]> {
  return Promise.all(
    subagentFiles(transcriptPath).map(async (path) => ({
      id: basename(path, '.jsonl').replace(/^agent-/, ''),
      path,
      ...given({ toolUseId: await callOf(path) }),
    })),
  );
}

async function callOf(path: string): Promise<string | undefined> {
  const text = await readText(path.replace(/\.jsonl$/, '.meta.json'), STATE_BYTES).catch(() => '');
  return textOf(parseObject(text)?.['toolUseId']);
}

/** `…/subagents/<session>/agent-<id>.jsonl` → `…/chats/<session>.jsonl`. */
export function mainOf(subagentPath: string): string {
  const folder = dirname(subagentPath);
  return join(dirname(dirname(folder)), 'chats', `${basename(folder)}.jsonl`);
}
