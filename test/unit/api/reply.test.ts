// What a busy service asks for.
import assert from "node:assert/strict";
import { test } from "node:test";
import { secondsToWait } from "../../../src/api/reply.ts";

test("the seconds a busy service asks for are kept where they make sense, and bounded", () => {
  const cases: readonly (readonly [header: string | undefined, text: string, seconds: number])[] = [
    ["1", "", 1],
    ["86400", "", 60],
    ["0", "", 0],
    ["-5", "", 5],
    ["soon", "", 5],
    ["Wed, 21 Oct 2026 07:28:00 GMT", "", 5],
    ["", "", 5],
    [undefined, "", 5],
    [undefined, "API requests too frequent: endpoint threshold=4.5", 4.5],
    [undefined, "threshold=99999", 60],
  ];
  for (const [header, text, seconds] of cases) assert.equal(secondsToWait(header, text), seconds, `${header} ${text}`);
});
