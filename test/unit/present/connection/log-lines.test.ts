// What a log's terminal and document say about it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { AppError } from "../../../../src/domain/base/error.ts";
import type { LogEvent } from "../../../../src/domain/connection/log-event.ts";
import { Instance } from "../../../../src/domain/instance/instance.ts";
import {
  describeLogEvent,
  formatLogDocument,
  formatLogHeader,
  formatLogTitle,
} from "../../../../src/present/connection/log-lines.ts";

const machine = Instance.parse({ id: 7, label: "train\u001b[2J\u202e\nrun" });

test("a hostile name stays one line of text", () => {
  for (const said of [
    formatLogTitle(machine, "container"),
    formatLogTitle(machine, "daemon"),
    formatLogHeader(machine, "daemon"),
  ])
    assert.match(said, /^[^\p{Cc}\p{Cf}]*7[^\p{Cc}\p{Cf}]*train\[2J run[^\p{Cc}\p{Cf}]*$/u);
});

test("each event but the text itself has its own line", () => {
  const error = new AppError("offline", "It is away.");
  const kinds = ["gap", "cut", "empty", "recovered", "gone", "left-account"] as const;
  const events: readonly LogEvent[] = [
    ...kinds.map((kind) => ({ kind })),
    { kind: "failed", error },
    { kind: "refused", error },
  ];
  const lines = events.map(describeLogEvent);
  assert.equal(new Set(lines).size, events.length);
  assert.ok(
    lines.every((line) => line !== undefined && /\.$/.test(line)),
    lines.join("\n"),
  );
  assert.equal(describeLogEvent({ kind: "text", text: "x" }), undefined);
});

test("a document says whose log it is, as of when, and what is missing", () => {
  const shown = formatLogDocument(machine, { text: "a\nb\n", isCut: true, at: "12:00" });
  assert.match(shown, /^Log of instance 7 \(.*\), as of 12:00\nOnly the last 8 MB of the log is shown\.\n\na\nb\n$/);
  assert.match(
    formatLogDocument(machine, { text: "", isCut: false, at: "12:00" }),
    /12:00\n\nThe log is empty so far\.\n$/,
  );
});
