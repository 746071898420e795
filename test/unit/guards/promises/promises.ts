// What the lists beside this file are made of: each promise, word for word as docs/promises.md has it, with the tests that hold it.

/** Titles of tests by file, as their sources spell them. */
export type Tests = Readonly<Record<`test/${string}.ts`, readonly string[]>>;

/** Tests by promise. */
export type Promises = Readonly<Record<string, Tests>>;
