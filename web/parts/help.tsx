/** The keys, on `?`. */
import { storeOf } from '../store.ts';
import { Dialog } from './dialog.tsx';

export const helpIsOpen = storeOf(false);

const KEYS: readonly (readonly [string, string])[] = [
  ['/', 'Search from anywhere'],
  ['j  k', 'Next and previous row'],
  ['Enter', 'Open the row'],
  ['e', 'Edit the memory'],
  ['x', 'Forget the memory (it can be undone)'],
  ['Esc', 'Leave the field or the dialog'],
  ['g  then  o p s l r i c', 'Overview, projects, sessions, live, review, import, settings'],
  ['?', 'This list'],
];
const FILTERS: readonly (readonly [string, string])[] = [
  ['kind:decision', 'one kind, or several with commas'],
  ['project:name', 'one project'],
  ['since:yesterday', 'a day, a month, 7d, "last week"'],
  ['until:2026-03-01', 'up to a day'],
  ['file:auth.ts', 'that speak of a file'],
  ['session:id', 'of one session'],
];

export function Help() {
  if (!helpIsOpen.use()) return null;
  return (
    <Dialog title="Keys and filters" onClose={() => helpIsOpen.set(() => false)}>
      <Table caption="Keys" rows={KEYS} />
      <Table caption="Filters in a search" rows={FILTERS} />
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
              <kbd>{name}</kbd>
            </th>
            <td>{does}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
