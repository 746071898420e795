// What is said about a machine that couldn't be prepared for a window: what is known, and no more.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { InstanceId } from "../../../../src/domain/base/id.ts";
import type { LoginFailure } from "../../../../src/domain/connection/login-failure.ts";
import { describePreparationFailure } from "../../../../src/present/connection/preparation.ts";

const ADVICE = "If the window doesn't open, run this command in a terminal on the machine: touch ~/.no_auto_tmux";

describe("a machine that wasn't prepared", () => {
  const cases: readonly [failure: LoginFailure, said: string][] = [
    [
      { kind: "denied" },
      "Cloud GPU couldn't log in to instance 7 without a passphrase, so it couldn't turn off tmux there.",
    ],
    [
      { kind: "late", seconds: 30 },
      "Logging in to instance 7 took longer than 30 s, so Cloud GPU couldn't turn off tmux there.",
    ],
    [
      { kind: "other", said: "Host key verification failed." },
      "Cloud GPU couldn't log in to instance 7, so it couldn't turn off tmux there: Host key verification failed.",
    ],
    [{ kind: "other", said: "" }, "Cloud GPU couldn't log in to instance 7, so it couldn't turn off tmux there."],
  ];
  for (const [failure, said] of cases)
    test(JSON.stringify(failure), () =>
      assert.equal(describePreparationFailure(InstanceId.parse(7), failure), `${said} ${ADVICE}`),
    );
});
