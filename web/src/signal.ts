// A value that notifies listeners when it changes.

export class Signal<T> {
  private readonly listeners: ((value: T) => void)[] = [];

  constructor(private current: T) {}

  get value(): T {
    return this.current;
  }

  set value(next: T) {
    if (Object.is(next, this.current)) return;
    this.current = next;
    for (const listener of this.listeners) listener(next);
  }

  on(listener: (value: T) => void): void {
    this.listeners.push(listener);
  }
}
