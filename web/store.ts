/** A value outside of any view that views follow. */
import { useEffect, useState } from 'preact/hooks';

export interface Store<T> {
  get(): T;
  set(change: (value: T) => T): void;
  /** The value as a part of a view's state. */
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
        changed(); // between the first sight and this
        return () => void followers.delete(changed);
      }, []);
      return value;
    },
  };
}
