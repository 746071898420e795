// Joining, taking turns and computing once: building blocks of asynchronous paths.

/** Callers that arrive while a call is in progress share its result. Later callers start a new one. */
export function joining<Given extends unknown[], T>(
  make: (...given: Given) => Promise<T>,
): (...given: Given) => Promise<T> {
  let running: Promise<T> | undefined;
  return (...given) => {
    running ??= make(...given).finally(() => {
      running = undefined;
    });
    return running;
  };
}

/** One after the other, in the order of the calls. A failure is its caller's alone: the next one runs all the same. */
export function takingTurns(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work, work);
    last = mine;
    return mine;
  };
}

/** Computes once, on first use. A failed attempt is forgotten, so the next use tries again. */
export function lazily<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make().catch((error) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}
