/** The question whether a language model may distill, in the words of `tidemark install`. No answer is preselected. */
import { useState } from 'preact/hooks';
import { ask, asApiError, type ApiError } from '../api.ts';
import { to } from '../route.ts';
import { useAnswer } from '../use-answer.ts';
import { Problem } from './field.tsx';
import { withCode } from './notice.tsx';

const ERROR_ID = 'consent-error';

export function ConsentQuestion() {
  const offer = useAnswer('GET /consent');
  const [answer, setAnswer] = useState<boolean>();
  const [error, setError] = useState<ApiError>();
  const [isBusy, setBusy] = useState(false);
  if (offer.kind !== 'there') return null;
  const { question, without, sent, cost, yes, no } = offer.value;
  const save = (value: boolean) => {
    setError(undefined);
    setBusy(true);
    ask('PUT /settings/:key', { id: 'distill.consent', body: { value } })
      .then(() => setAnswer(value))
      .catch((failure: unknown) => setError(asApiError(failure)))
      .finally(() => setBusy(false));
  };
  return (
    <section class="panel consent" aria-labelledby="consent">
      <h2 id="consent">{question}</h2>
      {answer === undefined ? (
        <>
          <p>{withCode(without)}</p>
          <p>{withCode(sent)}</p>
          <p>{withCode(cost)}</p>
          <p class="buttons">
            {([true, false] as const).map((value) => (
              <button
                key={String(value)}
                type="button"
                class="button"
                disabled={isBusy}
                aria-describedby={error ? ERROR_ID : undefined}
                onClick={() => save(value)}
              >
                {value ? yes : no}
              </button>
            ))}
          </p>
          {error && <Problem error={error} id={ERROR_ID} />}
        </>
      ) : (
        <p role="status">
          {answer
            ? 'Saved. From now on, new turns are sent to the model.'
            : 'Saved. No language model is used.'}{' '}
          You can change this at any time in the <a href={to.view('/settings')}>settings</a>.
        </p>
      )}
    </section>
  );
}
