/** A labelled choice of one value, or any. `none`: the name of the empty choice. */
export function Choice(props: {
  readonly label: string;
  readonly value: string;
  readonly choices: readonly { readonly value: string; readonly name: string }[];
  readonly none?: string;
  readonly onChange: (value: string) => void;
}) {
  const { label, value, choices, none = 'any', onChange } = props;
  // A typed value need not be one of the choices.
  const isOther = value !== '' && !choices.some((choice) => choice.value === value);
  return (
    <label>
      <span>{label}</span>
      <select class="input" value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        <option value="">{none}</option>
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
