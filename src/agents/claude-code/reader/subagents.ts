/** The subagents of a Claude Code session: `<session>/subagents/agent-<id>.jsonl`, each with a `.meta.json`. */
import { given } from '../../../core/index.ts';
import { basename, dirname, join } from 'node:path';
import { namesIn, readText, STATE_BYTES } from '../../../files/index.ts';
import type { Subagent } from '../../transcript.ts';
import { parseObject, textOf } from './_json.ts';

const TRANSCRIPT = /^agent-(.+)\.jsonl$/;

/** None where the folder is not there; a subagent without its `.meta.json` (old versions) is listed all the same. */
export async function subagentsOf(transcriptPath: string): Promise<readonly Subagent[]> {
  const folder = join(dirname(transcriptPath), basename(transcriptPath, '.jsonl'), 'subagents');
  const names = listed(folder);
  const found = names.flatMap((name) => {
    const id = TRANSCRIPT.exec(name)?.[1];
    return id === undefined ? [] : [{ id, path: join(folder, name) }];
  });
  return Promise.all(found.map(async ({ id, path }) => ({ id, path, ...(await metaOf(path)) })));
}

function listed(folder: string): readonly string[] {
  try {
    return namesIn(folder);
  } catch {
    return []; // not ours to read
  }
}

async function metaOf(path: string): Promise<Partial<Subagent>> {
  const text = await readText(path.replace(/\.jsonl$/, '.meta.json'), STATE_BYTES).catch(() => '');
  const meta = parseObject(text) ?? {};
  const toolUseId = textOf(meta['toolUseId']);
  const agentType = textOf(meta['agentType']);
  const description = textOf(meta['description']);
  return {
    ...given({ toolUseId, agentType, description }),
    ...(typeof meta['finished'] === 'boolean' ? { finished: meta['finished'] } : {}),
  };
}
