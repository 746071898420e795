// Ownership: the creator of an object adds it to a bag, and the bag disposes of its contents in reverse order.

export interface Disposable {
  dispose(): void;
}

export class Bag implements Disposable {
  #items: Disposable[] = [];
  #disposed = false;

  add<T extends Disposable>(item: T): T {
    if (this.#disposed) item.dispose();
    else this.#items.push(item);
    return item;
  }

  dispose(): void {
    this.#disposed = true;
    const items = this.#items.reverse();
    this.#items = [];
    for (const item of items) item.dispose();
  }
}
