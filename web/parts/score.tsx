/** Explains a score: each step with its factor and the score after it. */
import type { Hit } from '../../src/http/index.ts';
import { counted, percent } from '../words.ts';

export function ScoreOf(props: Pick<Hit, 'score' | 'parts' | 'covered'> & { readonly cost?: number }) {
  const { score, parts, covered, cost } = props;
  // Steps that changed nothing are left out.
  const steps = parts.filter(({ factor }, i) => i === 0 || Math.abs(factor - 1) > 0.004);
  return (
    <details class="score">
      <summary>
        {percent(score)} <span class="unseen">match: why?</span>
        {cost !== undefined && <span class="soft"> · {counted(cost, 'token')}</span>}
      </summary>
      {covered.length > 0 && <p>Matches {covered.map((word) => `“${word}”`).join(', ')}</p>}
      <table class="figures">
        <caption class="unseen">Steps of the score</caption>
        <tbody>
          {steps.map(({ name, factor, after }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td class="n">× {factor.toFixed(2)}</td>
              <td class="n">{percent(after)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
