// Mocha, and the functions that tests are written with.
import Mocha from "mocha";

interface Functions {
  describe(title: string, tests: () => void): void;
  it(title: string, test: () => void | Promise<void>): { timeout(milliseconds: number): void };
}

export const mocha = new Mocha({ ui: "bdd", timeout: 30_000, color: false });

const functions = {} as Functions;
mocha.suite.emit("pre-require", functions, "", mocha);

export const { describe, it } = functions;
