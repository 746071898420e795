// The far end of every `ssh` that a window starts in the model: a foreign program, whose connections fail as they were drawn to.
import { PassThrough } from "node:stream";
import { sleep } from "../../../src/lib/clock.ts";
import type { RunningSsh, SshEnd } from "../../../src/services/connection/ssh/ssh-program.ts";
import { type Life, RATE } from "../life.ts";
import { answerTo, type FarEnd, type Line } from "./far-commands.ts";
import type { FarMachine } from "./far-machine.ts";
import type { BadConnection, Loss } from "./run-fate.ts";

/** What a broken variant makes of an answer before the product reads it. */
export type Misreading = (name: string, answer: string) => string;

export type StartSsh = (program: string, args: readonly string[]) => RunningSsh;

const LOST: FarEnd = { code: 255, err: "Connection reset by peer" };
const REFUSED: FarEnd = { code: 255, err: "ssh: connect to host port 22: Connection refused" };

/** Read as they come. */
const STREAMED: ReadonlySet<string> = new Set(["share", "follow", "files", "log"]);

export class FarSsh {
  readonly #machine: FarMachine;
  #bad: readonly BadConnection[];
  #count = 0;
  /** What no machine knew. */
  readonly strange: string[] = [];
  readonly #misread: Misreading | undefined;

  constructor(machine: FarMachine, bad: readonly BadConnection[], misread: Misreading | undefined) {
    this.#machine = machine;
    this.#bad = bad;
    this.#misread = misread;
  }

  /** From now on no connection fails unless its machine is dead. */
  heal(): void {
    this.#bad = [];
  }

  #draw(name: string): Loss | undefined {
    // One that is shared is only a shortcut.
    if (name === "share") return undefined;
    this.#count += 1;
    return this.#bad.find(({ at, times }) => this.#count >= at && this.#count < at + times)?.how;
  }

  /** The program as a window starts it. A window that is dead hears no more of it. */
  startFor =
    (life: Life): StartSsh =>
    (_, args) => {
      const wasDead = life.dead;
      life.spend();
      // The last thing that a window does may be to start it.
      return this.#start(wasDead ? undefined : args.at(-1), life);
    };

  #start(command: string | undefined, life: Life): RunningSsh {
    const [stdin, stdout] = [new PassThrough(), new PassThrough()];
    const ended = Promise.withResolvers<SshEnd>();
    let end: SshEnd = { code: undefined, err: "" };
    let isOpen = true;
    stdin.on("error", () => undefined);
    stdout.once("close", () => ended.resolve(end));
    const input = collect(stdin);
    const line: Line = {
      input,
      print: (bytes) => void (isOpen && !life.dead && !this.#machine.isDead && stdout.write(bytes)),
      wait: async (seconds) => {
        await sleep((seconds * 1000) / RATE);
        return isOpen && !life.dead && !this.#machine.isDead;
      },
    };
    const stop = () => {
      isOpen = false;
      stdin.destroy();
      stdout.destroy();
    };
    const running = { stdin, stdout, ended: ended.promise, stop };
    if (command === undefined) return running;
    void this.#carryOut(command, line).then(({ code, err = "" }) => {
      // No one is left to hear of it.
      if (!isOpen || life.dead) return;
      end = { code, err };
      stdout.end();
    });
    return running;
  }

  async #carryOut(command: string, line: Line): Promise<FarEnd> {
    const machine = this.#machine;
    try {
      const { name, answer } = answerTo(command);
      const loss = this.#draw(name);
      if (machine.isDead || loss === "before") return REFUSED;
      const isRead = loss === undefined && (this.#misread === undefined || STREAMED.has(name));
      if (isRead) {
        const end = await answer(machine, line);
        return machine.isDead ? LOST : end;
      }
      const parts: Buffer[] = [];
      const end = await answer(machine, { ...line, print: (bytes) => void parts.push(Buffer.from(bytes)) });
      const all = Buffer.concat(parts);
      if (loss === undefined) {
        line.print(Buffer.from(this.#misread?.(name, all.toString("latin1")) ?? "", "latin1"));
        return end;
      }
      if (loss === "cut") line.print(all.subarray(0, Math.floor(all.length * 0.7)));
      return LOST;
    } catch (error) {
      this.strange.push(String(error));
      return LOST;
    }
  }
}

/** Its input is read as it comes: who writes more than a pipe holds would wait. */
function collect(stdin: PassThrough): () => Promise<Buffer> {
  const chunks: Buffer[] = [];
  const whole = Promise.withResolvers<Buffer>();
  stdin.on("data", (chunk: Buffer) => void chunks.push(chunk));
  stdin.once("close", () => whole.resolve(Buffer.concat(chunks)));
  stdin.once("end", () => whole.resolve(Buffer.concat(chunks)));
  return () => whole.promise;
}
