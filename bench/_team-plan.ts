/** Returns PostgreSQL's plan of the function that finds candidates, from `auto_explain`. */
import { Client } from 'pg';
import { inspect, searchMemories, TeamStore, type Caller } from '../src/server/store/index.ts';

export async function planOf(database: string, caller: Caller, text: string): Promise<string> {
  const plans: string[] = [];
  const client = new Client({ connectionString: database });
  client.on('notice', ({ message }) => plans.push(message ?? ''));
  await client.connect();
  try {
    const sent = await statementOf(database, caller, text);
    const app = await inspect(database, async (at) => at.app);
    await client.query(`LOAD 'auto_explain'; SET auto_explain.log_min_duration = 0; SET auto_explain.log_analyze = on;
      SET auto_explain.log_buffers = on; SET auto_explain.log_nested_statements = on; SET client_min_messages = log; BEGIN;
      SET LOCAL ROLE ${app};
      SET LOCAL tidemark.team = '${caller.team}'; SET LOCAL tidemark.member = '${caller.member}'`);
    await client.query(sent);
  } finally {
    await client.end();
  }
  return plans.find((plan) => plan.includes('memory_tokens')) ?? plans.join('\n');
}

/** Returns the statement that a search sends, with the values of this team. */
async function statementOf(
  database: string,
  caller: Caller,
  text: string,
): Promise<{ text: string; values: unknown[] }> {
  const store = await TeamStore.open({ database, connections: 1 });
  let sent: { text: string; values: unknown[] } = { text: 'SELECT 1', values: [] };
  await store.transaction(caller, (work) => {
    const listening = {
      ...work,
      rows: (statement: string, given: readonly unknown[] = []) => {
        if (statement.includes('tidemark.matches')) sent = { text: statement, values: [...given] };
        return work.rows(statement, given);
      },
    };
    return searchMemories(listening, store.vectors, text, { now: new Date() });
  });
  await store.close();
  return sent;
}
