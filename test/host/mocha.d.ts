// What the tests inside the editor use of Mocha. The types published for it would declare its functions in every file of the product.
declare module "mocha" {
  interface Test {
    fullTitle(): string;
  }
  interface Runner {
    on(event: "pass", listener: (test: Test) => void): this;
    on(event: "fail", listener: (test: Test, error: Error) => void): this;
  }
  class Mocha {
    constructor(options: { readonly ui: "bdd"; readonly timeout: number; readonly color: boolean });
    readonly suite: { emit(event: "pre-require", functions: object, file: string, mocha: Mocha): void };
    run(done: () => void): Runner;
  }
  export = Mocha;
}
