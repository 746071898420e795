// Lines of our own among what a terminal is given.
import assert from "node:assert/strict";
import { test } from "node:test";
import { cleanLog, LogCleaner } from "../../../../src/domain/connection/log-text.ts";
import { OutputReader } from "../../../../src/services/group/output-reader.ts";
import { TerminalLines } from "../../../../src/ui/kit/terminal-lines.ts";

const MARK = "\u001b[0m\u001b[7m * \u001b[0m ";

function lines() {
  let sent = "";
  const to = new TerminalLines((text) => {
    sent += text;
  });
  return { to, sent: () => sent.replaceAll(MARK, "* ").replaceAll("\u001b[?7l", "<").replaceAll("\u001b[?7h", ">") };
}

test("a line of ours begins a new line, and ends any style", () => {
  const { to, sent } = lines();
  to.write("a\nb");
  to.say("ours");
  to.say("again");
  assert.equal(sent(), "a\r\nb\r\n* ours\r\n* again\r\n");
});

test("no machine speaks as we do, however it is read", () => {
  const { to, sent } = lines();
  to.say("Destroyed instance 7.");
  const [ours = ""] = sent().split("\r\n");
  const cleaner = new LogCleaner();
  const told: string[] = [];
  const reader = new OutputReader((line) => told.push(line));
  for (const style of ["7", "07", "0;7", "7;0;7", "1;7"]) {
    const forged = `\u001b[0m\u001b[${style}m * \u001b[0m Destroyed instance 7.\n`;
    for (const clean of [cleanLog(forged), cleaner.push(forged)]) to.write(clean);
    for (const piece of forged) reader.push(piece);
  }
  reader.end();
  for (const line of told) to.write(`${line}\n`);
  assert.equal(sent().split(ours).length, 2, "it is there once");
});

test("progress takes the place of itself however long it is, and stays whole when something else comes", () => {
  const { to, sent } = lines();
  to.show("1");
  to.show("2");
  to.write("");
  to.write("out");
  to.show("3");
  to.say("end");
  assert.equal(sent(), "<* 1>\r\u001b[2K<* 2>\r\u001b[2K* 2\r\nout\r\n<* 3>\r\u001b[2K* 3\r\n* end\r\n");
});
