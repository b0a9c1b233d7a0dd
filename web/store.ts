/** A value outside of the views; views that use it follow its changes. */
import { useEffect, useState } from 'preact/hooks';

interface Store<T> {
  get(): T;
  set(change: (value: T) => T): void;
  /** A hook: returns the value and draws the view again when it changes. */
  use(): T;
}

export function storeOf<T>(first: T): Store<T> {
  const followers = new Set<() => void>();
  let value = first;
  return {
    get: () => value,
    set: (change) => {
      value = change(value);
      for (const follower of followers) follower();
    },
    use: () => {
      const [, setSeen] = useState<T>(value);
      useEffect(() => {
        const changed = () => setSeen(() => value);
        followers.add(changed);
        changed(); // it may have changed since the first drawing
        return () => void followers.delete(changed);
      }, []);
      return value;
    },
  };
}
