/** A labelled choice of one value, or any. */
export function Choice(props: {
  readonly label: string;
  readonly value: string;
  readonly choices: readonly { readonly value: string; readonly name: string }[];
  readonly onChange: (value: string) => void;
}) {
  const { label, value, choices, onChange } = props;
  // A typed value need not be one of the choices.
  const isOther = value !== '' && !choices.some((choice) => choice.value === value);
  return (
    <label>
      <span>{label}</span>
      <select class="input" value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        <option value="">any</option>
        {isOther && <option value={value}>{value}</option>}
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {choice.name}
          </option>
        ))}
      </select>
    </label>
  );
}
