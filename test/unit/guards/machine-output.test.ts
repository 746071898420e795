// What a machine prints keeps the editor from nothing: every reader of it gets all that it takes, and between two turns of the event loop
// passes little time of the processor. The readers are found in the sources, so that a new one isn't forgotten.
import assert from "node:assert/strict";
import { chmodSync, createReadStream, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { readEnd } from "../../../src/api/answer-body.ts";
import { RunId } from "../../../src/domain/base/id.ts";
import { compareHostKeys, readHostKeys } from "../../../src/domain/connection/host-key.ts";
import {
  cleanInTurns,
  cleanLog,
  continueLog,
  LogCleaner,
  toPlainLog,
} from "../../../src/domain/connection/log-text.ts";
import type { SshAddress } from "../../../src/domain/connection/ssh-address.ts";
import { readNvidiaSmi } from "../../../src/domain/instance/gpu-load.ts";
import { readJupyterList } from "../../../src/domain/port/jupyter-server.ts";
import { RunPlan } from "../../../src/domain/run/run-plan.ts";
import { RunRecord } from "../../../src/domain/run/run-record.ts";
import { realClock } from "../../../src/lib/clock.ts";
import { Turns } from "../../../src/lib/turns.ts";
import { askMachine } from "../../../src/services/connection/ask-machine.ts";
import { keepOutTmux } from "../../../src/services/connection/keep-out-tmux.ts";
import { type MachineLogin, waitUntilOpen } from "../../../src/services/connection/run-there.ts";
import { hasSshServer } from "../../../src/services/connection/ssh/ssh-banner.ts";
import { startSsh } from "../../../src/services/connection/ssh/ssh-program.ts";
import { OutputReader } from "../../../src/services/group/output-reader.ts";
import { followRun } from "../../../src/services/run/machine-run.ts";
import { sendProject } from "../../../src/services/run/project/send-project.ts";
import { statResults } from "../../../src/services/run/results/ask-results.ts";
import { listResults } from "../../../src/services/run/results/list-results.ts";
import { verifyResults } from "../../../src/services/run/results/verify-results.ts";
import { downloadFiles } from "../../../src/services/transfer/download.ts";
import { findChanged } from "../../../src/services/transfer/find-unchanged.ts";
import { uploadFiles } from "../../../src/services/transfer/upload.ts";
import { TAR_END, tarPart } from "../../journeys/transfer/tar-maker.ts";
import { isUnnoticed, measureTurns, measureYardstick } from "../../longest-turn.ts";

const skip = process.platform === "win32" && "needs a POSIX shell";
const NEVER = new AbortController().signal;
const FOLDER = mkdtempSync(join(tmpdir(), "cloud-gpu-output-"));
after(() => rmSync(FOLDER, { recursive: true, force: true }));

/** Bytes: what is taken of many words, and of a log. */
const MOST = { words: 49_000_000, log: 8_000_000 };

let machines = 0;

/** A machine that answers each question with the next of these, whatever is asked. */
function answering(answers: readonly (string | Buffer)[], stream = ""): MachineLogin {
  machines += 1;
  const at = join(FOLDER, `machine-${machines}`);
  for (const [which, answer] of answers.entries()) writeFileSync(`${at}.${which + 1}`, answer);
  const count = `n=$(cat '${at}.n' 2>/dev/null); n=$((n + 1)); echo $n > '${at}.n'`;
  writeFileSync(at, `#!/bin/sh\n${count}\nexec cat "${at}.$n" ${stream}\n`);
  chmodSync(at, 0o755);
  const login = { address: { host: "127.0.0.1", port: 22 }, alias: "cloud-gpu-127.0.0.1-22", knownHosts: "/dev/null" };
  return { id: 7 as MachineLogin["id"], program: at, login } as MachineLogin;
}

const line = (answer: string) => `banner\ncloud-gpu-answer ${answer}\n`;
/** As many different words as the bytes allow. */
function words(make: (at: number) => string, bytes = MOST.words): string {
  const made: string[] = [];
  for (let [at, length] = [0, 0]; length < bytes; at += 1) {
    const word = make(at);
    length += word.length;
    made.push(word);
  }
  return made.join("");
}

const id = RunId.parse("20260101-000000-train-py-abcdef");
const planWith = (results?: string[]) =>
  RunPlan.parse({ name: "a", command: "b", setup: "", folder: "/f", remote: "/r", ...(results ? { results } : {}) });

function lister(text: string, results?: string[]) {
  const machine = answering([line("results") + text]);
  return async () => await listResults(machine, { id, plan: planWith(results) }, NEVER);
}

/** What a log is made of, by which it takes longest. */
const LOGS = {
  lines: "epoch 1 loss 0.5\n",
  colors: "\u001b[1;31mx\u001b[0m",
  "one line": "x",
  "progress bars": "10 %\r",
  "steps back": "|\b",
  "characters that are left out": "x\u0000",
  "sequences without an end": "\u001b]",
};
const fill = (unit: string, bytes: number) => unit.repeat(bytes / unit.length);

/** Follows each kind of log to someone who reads it. */
function readLogs(hear: () => (text: string) => void) {
  const follow = (unit: string) => () => {
    const machine = answering([line("following") + fill(unit, MOST.log)]);
    const [take, decoder] = [hear(), new TextDecoder()];
    return () => followRun(machine, id, 0, NEVER, (bytes) => take(decoder.decode(bytes, { stream: true })));
  };
  return Object.fromEntries(Object.entries(LOGS).map(([what, unit]) => [what, follow(unit)]));
}

/** By the file that reads, or whose one reading this is: what makes its whole limit, and then reads it. */
const READERS: Readonly<Record<string, Readonly<Record<string, () => () => Promise<unknown>>>>> = {
  "services/connection/ask-machine.ts": {
    "an answer after a long banner": () => {
      const machine = answering([`${"x\n".repeat(45_000)}${line("yes")}${"y\n".repeat(400_000)}`]);
      return async () => assert.equal(await askMachine(machine, "ask", NEVER), "yes");
    },
  },
  "services/run/results/list-results.ts": {
    "names that are no results": () => {
      const list = lister(`${words((at) => `./c/${at}\0`)}\0\0end\0`, ["out/**", "**/*.pt", "*a*b*.csv"]);
      return async () => {
        const found = await list();
        assert.deepEqual([found?.isWhole, found?.names.length, found?.others.length], [true, 0, 200_000]);
        assert.ok((found?.moreOthers ?? 0) > 3_000_000);
      };
    },
    "names that all are results": () => {
      const list = lister(`${words((at) => `./c/${at}\0`)}\0\0end\0`);
      return () => assert.rejects(list(), /more than 200,000 files/);
    },
    links: () => {
      const list = lister(`\0${words((at) => `./${at}\0./x\0`)}\0end\0`);
      return () => assert.rejects(list(), /more than 200,000 files/);
    },
    "names, and links to them": () => {
      const names = Array.from({ length: 190_000 }, (_, at) => `./${(at * 7919) % 190_000}/${"d/".repeat(40)}f\0`);
      const links = Array.from({ length: 190_000 }, (_, at) => `./out/${at}\0./${at}\0`);
      const list = lister(`${names.join("")}\0${links.join("")}\0end\0`, ["out/**"]);
      return async () => {
        const found = await list();
        assert.deepEqual([found?.others.length, found?.odd], [190_000, 190_000]);
      };
    },
    "one endless name": () => {
      const list = lister("x".repeat(MOST.words));
      return async () => assert.equal((await list())?.isWhole, false);
    },
  },
  "services/run/results/ask-results.ts": {
    "when files were changed": () => {
      const machine = answering([`${line("stats 1700000000")}${words((at) => `1 1700000000 ./${at}\n`)}`]);
      return async () => {
        const there = await statResults(machine, { id, plan: planWith() }, ["./a", "./7"], NEVER);
        assert.deepEqual(there?.files, [{ name: "./7", size: 1, changed: 1_700_000_000 }]);
      };
    },
    digests: () => {
      const digests = words((at) => `${"0".repeat(64)}  ./${at}\n`);
      const machine = answering([`${line("results")}./a\0\0\0end\0`, line("digests") + digests]);
      const fetched = { kind: "fetched", place: FOLDER, log: "run.log", files: 1, bytes: 1, isWhole: true };
      const state = { kind: "ended", at: 1, exit: 0, results: fetched };
      const rest = { version: 1, base: "https://gpu.example.com", account: "a", window: "w" };
      const run = RunRecord.parse({ ...rest, id, instance: 7, at: 1, plan: planWith(), state });
      return async () => assert.equal(await verifyResults(machine, run, NEVER), false);
    },
  },
  "services/transfer/find-unchanged.ts": {
    "files that are there": () => {
      const machine = answering([line("listed") + words((at) => `1 1700000000 644 ./${at}\n`)]);
      const files = Array.from({ length: 300 }, (_, at) => ({ path: `${at}`, size: 1, isExecutable: false }));
      const order = { machine, folder: FOLDER, list: { files, folders: [] }, remote: "/r" };
      return async () => assert.equal((await findChanged(order, NEVER)).length, 300);
    },
  },
  "services/run/project/send-project.ts": {
    "files that are there, and what was uploaded": () => {
      const lines = words((at) => `${at % 2 === 0 ? "sent " : ""}1 1700000000 644 ./${at >> 1}\n`);
      const machine = answering([line("listed") + lines]);
      const files = Array.from({ length: 300 }, (_, at) => ({ path: `${at}`, size: 1, isExecutable: false }));
      const order = { machine, folder: FOLDER, list: { files, folders: [] }, remote: "/r" };
      return () => assert.rejects(sendProject(order, {}, NEVER, () => undefined));
    },
  },
  "services/run/machine-run.ts": readLogs(() => {
    const cleaner = new LogCleaner();
    return (text) => void cleaner.push(text);
  }),
  "services/group/run-on-group.ts": readLogs(() => {
    const reader = new OutputReader(() => undefined);
    return (text) => reader.push(text);
  }),
  "services/connection/logs.ts": Object.fromEntries(
    Object.entries(LOGS).map(([what, unit]) => [
      what,
      () => {
        const [log, half] = [fill(unit, MOST.log), fill(unit, MOST.log / 2)];
        return async () => {
          const clean = await cleanInTurns(log, cleanLog, new Turns());
          await cleanInTurns(clean, toPlainLog, new Turns());
          await continueLog(`${half}\n${half}b\n`, `${half}\n${half}c\n`, new Turns());
        };
      },
    ]),
  ),
  "api/answer-body.ts": {
    "a log that is mostly left out": () => {
      const at = join(FOLDER, "body");
      writeFileSync(at, Buffer.alloc(7 * MOST.log, 0xff));
      return async () => assert.equal((await readEnd(createReadStream(at), 200, 0, MOST.log)).isCut, true);
    },
  },
  "services/connection/ssh/ssh-banner.ts": {
    "a server of something else": () => async () => {
      const server = createServer((socket) => socket.on("error", () => undefined).end("no\n".repeat(9000)));
      await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
      const { port } = server.address() as AddressInfo;
      assert.equal(await hasSshServer({ host: "127.0.0.1", port } as SshAddress, realClock), false);
      server.close();
    },
  },
  "services/connection/ssh/ssh-program.ts": {
    complaints: () => {
      const { program } = answering([fill("no\n", MOST.words)], ">&2");
      return async () => assert.equal((await startSsh(program, []).ended).code, 0);
    },
    "the keys of a host": () => {
      const text = words((at) => `[host]:22 ssh-ed25519 AAAA${at}\n`, 1_000_000);
      return async () => {
        const shown = readHostKeys(text);
        compareHostKeys(shown, shown);
      };
    },
  },
  "services/connection/run-there.ts": {
    "a banner": () => {
      const { program } = answering([fill("no\n", MOST.words)]);
      return async () => assert.equal((await waitUntilOpen(startSsh(program, []), realClock, NEVER))?.code, 0);
    },
  },
  "services/connection/keep-out-tmux.ts": {
    "a screen": () => {
      const { program } = answering([fill("epoch 3\n", MOST.words)]);
      const login = { address: { host: "127.0.0.1", port: 1 }, alias: "a", knownHosts: "none" };
      return async () => assert.equal(await keepOutTmux({ program, login }, realClock, NEVER), false);
    },
  },
  "services/connection/machine-loads.ts": {
    loads: () => {
      const text = words((at) => `${at % 100}, 1, 2\n`, 85_000);
      return async () => readNvidiaSmi(text);
    },
  },
  "services/port/jupyter-servers.ts": {
    servers: () => {
      const text = words((at) => `{"port": ${at + 1}, "token": "${"a".repeat(30)}", "base_url": "/"}\n`, 265_000);
      return async () => readJupyterList(text);
    },
  },
  "services/transfer/upload.ts": {
    "a banner instead of an answer": () => {
      const machine = answering([fill("no\n", MOST.words)]);
      const order = { machine, folder: FOLDER, list: { files: [], folders: [] }, remote: "/r" };
      return () => assert.rejects(uploadFiles(order, NEVER, () => undefined));
    },
  },
  "services/transfer/download.ts": {
    // What lasts longer is an archive without end, which has tests of its own.
    "an archive of many files": () => {
      const files = Buffer.concat(Array.from({ length: 2000 }, (_, at) => tarPart({ name: `f/${at}`, data: "x" })));
      const machine = answering([Buffer.concat([Buffer.from(line("folder")), files, TAR_END])]);
      const names = Array.from({ length: 200_000 }, (_, at) => `./${at}`);
      const watch = { report: () => undefined, mayGoOn: async () => true };
      return async () => {
        const arrived = await downloadFiles({ machine, remote: "/r", into: FOLDER, names }, NEVER, watch);
        assert.equal(arrived.report.files, 2000);
      };
    },
  },
};

/** What reads from a machine, or from a log of the service. */
const READS = /\.stdout\b|\baskMachineForWords\(|\b\.downloadLog\(|\bexecFile\(|\.on\("data"/;
const SRC = join(import.meta.dirname, "../../../src");

test("every reader of what machines print is judged here", () => {
  const found = ["services", "api"].flatMap((room) =>
    readdirSync(join(SRC, room), { recursive: true, encoding: "utf8" })
      .map((name) => `${room}/${name.replaceAll("\\", "/")}`)
      .filter((name) => name.endsWith(".ts") && READS.test(readFileSync(join(SRC, name), "utf8"))),
  );
  assert.deepEqual(found.sort(), Object.keys(READERS).sort());
});

for (const [file, readings] of Object.entries(READERS))
  describe(`nobody waits for ${file} to read`, { skip }, () => {
    for (const [what, prepare] of Object.entries(readings))
      test(what, async () => {
        const said: string[] = [];
        // A busy machine makes any work slower now and then. What really takes long does so every time.
        for (let times = 0; times < 5; times += 1) {
          const { longest } = await measureTurns(prepare());
          const yardstick = measureYardstick();
          if (isUnnoticed(longest, yardstick)) return;
          said.push(`${Math.round(longest)} ms of the processor, with ${Math.round(yardstick)} ms for the yardstick`);
        }
        assert.fail(`a turn took ${said.join("; ")}`);
      });
  });
