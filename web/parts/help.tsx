/** The list of keys and filters, opened with `?`. */
import { useTeam } from '../here.ts';
import { storeOf } from '../store.ts';
import { Dialog } from './dialog.tsx';

export const helpIsOpen = storeOf(false);

const GO = 'g then o m p s l r i t x c';
const GO_IN_A_TEAM = ['g then o m p l t', 'Overview, memories, projects, live, team'] as const;
const KEYS: readonly (readonly [string, string])[] = [
  ['/', 'Search from anywhere'],
  ['j k', 'Next and previous row'],
  ['Enter', 'Open the row'],
  ['e', 'Edit the memory'],
  ['x', 'Forget the memory'],
  ['u', 'Undo the last forgetting, while its message is shown'],
  ['Esc', 'Close the field or the dialog'],
  [GO, 'Overview, memories, projects, sessions, live, review, import, team, trash, settings'],
  ['?', 'This list'],
];
const FILTERS: readonly (readonly [string, string])[] = [
  ['kind:decision', 'one kind, or several separated by commas'],
  ['state:open', 'open issues; also current, resolved, superseded'],
  ['project:name', 'one project'],
  ['since:3d', 'since a day or a month: 3d, 2w, 1m, 2026-03-01, 2026-03'],
  ['until:2026-03-01', 'until a day or a month'],
  ['file:auth.ts', 'memories about a file'],
  ['session:id', 'memories from one session'],
];

export function Help() {
  const team = useTeam();
  if (!helpIsOpen.use()) return null;
  const keys = team ? KEYS.map((row) => (row[0] === GO ? GO_IN_A_TEAM : row)) : KEYS;
  return (
    <Dialog title="Keys and filters" onClose={() => helpIsOpen.set(() => false)}>
      <Table caption="Keys" rows={keys} />
      <Table caption="Search filters" rows={FILTERS} />
      <form method="dialog" class="buttons">
        <button type="submit" class="button main">
          Close
        </button>
      </form>
    </Dialog>
  );
}

function Table(props: { readonly caption: string; readonly rows: readonly (readonly [string, string])[] }) {
  return (
    <table class="figures keys">
      <caption>{props.caption}</caption>
      <tbody>
        {props.rows.map(([name, does]) => (
          <tr key={name}>
            <th scope="row">
              {name.split(' ').map((key) => (key === 'then' ? ' then ' : <kbd key={key}>{key}</kbd>))}
            </th>
            <td>{does}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
