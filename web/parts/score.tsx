/** How well a hit matches, and why in words. */
import type { Hit } from '../../src/http/index.ts';
import { counted, percent } from '../words.ts';
import { Text } from './text.tsx';

export function ScoreOf({ score, reasons, cost }: Pick<Hit, 'score' | 'reasons' | 'cost'>) {
  return (
    <details class="score">
      <summary>
        {percent(score)} <span class="unseen">match: why?</span>
        <span class="soft"> · {counted(cost, 'token')}</span>
      </summary>
      <ul>
        {reasons.map((reason) => (
          <li key={reason}>
            <Text text={reason} />
          </li>
        ))}
      </ul>
    </details>
  );
}
