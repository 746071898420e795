// A command means the same to every shell that a machine may log in with: those that are installed here read drawn scripts.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { buildAnswerCommand, buildShellCommand, findAnswer } from "../../../src/domain/connection/machine-answer.ts";
import { quoteWord } from "../../../src/lib/shell-words.ts";
import { seeded } from "../../fuzz/answers.ts";

const SHELLS: readonly (readonly [program: string, ...rest: string[]])[] = [
  ...[["sh"], ["dash"], ["bash"], ["zsh"], ["mksh"], ["ksh"], ["fish"], ["tcsh"], ["csh"]],
  ["busybox", "sh"],
].map(([program = "", ...rest]) => [program, ...rest] as const);

/** What some shell reads in a way of its own. */
const PARTS = [
  ...["'", '"', "\\", "$", "`", "!", "\n", "*", "~", "%", "#", "^", "&", ";", "(", ")", "<", ">", "[", "]", "{", "}"],
  ...["\\n", "\\'", "\\0", "\\\\", "$HOME", "$(", "${", "!!", "!$", "%s", "{a,b}", "=", "=a", "-n ", "\t", "  "],
  ...["a", "b c", "é", "€", "😀", "'\\''", `'"'"'`, "\\\n", "\n\n"],
];

/** Scripts for each shell; more by hand. */
const TRIES = Number(process.env.TRIES ?? 60);

for (const [program, ...rest] of SHELLS) {
  const skip = spawnSync(program, [...rest, "-c", "exit 0"], { stdio: "ignore" }).status !== 0 && "not installed";
  test(`${[program, ...rest].join(" ")} leaves scripts to sh, which reads them as they are`, { skip }, () => {
    const random = seeded(program.length);
    for (let seed = 0; seed < TRIES; seed += 1) {
      const length = 1 + Math.floor(random() * 14);
      const text = Array.from({ length }, () => PARTS[Math.floor(random() * PARTS.length)]).join("");
      const script = `${buildAnswerCommand("here")}; printf '%s|' ${quoteWord(text)}; cat; echo why >&2; exit 7`;
      const { status, stdout, stderr } = spawnSync(program, [...rest, "-c", buildShellCommand(script)], {
        input: "read",
      });
      const found = findAnswer(stdout);
      assert.deepEqual(
        [status, found?.answer, stdout.subarray(found?.end).toString(), stderr.toString().split("\n").slice(-2)],
        [7, "here", `${text}|read`, ["why", ""]],
        JSON.stringify(text),
      );
    }
  });
}
