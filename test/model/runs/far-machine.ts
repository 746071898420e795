// What is true of a machine in the model: its files, its log, and what runs on it. No record of ours has a say in it.

import { LOG_NAME } from "../../../src/domain/run/result-commands.ts";
import { sleep } from "../../../src/lib/clock.ts";
import { RATE } from "../life.ts";
import type { RunFate } from "./run-fate.ts";

export const REMOTE = "/workspace/project";

type Process = "none" | "running" | "ended" | "lost";

/** How a broken variant treats it. */
interface Broken {
  /** Its folder for a run can be created again and again. */
  readonly beginsAgain?: boolean;
  /** What was packed is taken for what is there. */
  readonly comparesHere?: boolean;
}

export class FarMachine {
  /** Results by their names below the folder, such as `./model-1`. */
  readonly files = new Map<string, Buffer>();
  /** Those whose content can't be read there. */
  readonly unreadable = new Set<string>();
  log = Buffer.alloc(0);
  process: Process = "none";
  /** The runs that were begun, each as often as it was. */
  readonly begun: string[] = [];
  isDead = false;
  /** Something that the command started still runs. */
  isLeft = false;
  hasUpload = false;
  readonly fate: RunFate;
  readonly #broken: Broken;
  /** What was packed last, by name; the log as well. */
  readonly packed = new Map<string, Buffer>();
  /** What befalls it once its command runs. */
  onBegun = (): void => {};

  constructor(fate: RunFate, broken: Broken) {
    this.fate = fate;
    this.#broken = broken;
  }

  /** Whether this run is there already. */
  hasBegun(id: string): boolean {
    return this.begun.includes(id) && this.#broken.beginsAgain !== true;
  }

  get exit(): number | undefined {
    return this.process === "ended" ? this.fate.command.exit : undefined;
  }

  begin(id: string): void {
    this.begun.push(id);
    if (this.begun.length === 1) void this.#work();
    this.onBegun();
  }

  async #work(): Promise<void> {
    const { lasts, files, leaves, vanishes, exit } = this.fate.command;
    this.process = "running";
    const turns = files + 1;
    for (let turn = 1; turn <= turns; turn += 1) {
      this.print(`turn ${turn}\n`);
      await sleep((lasts * 1000) / turns / RATE);
      if (this.isDead) return;
      if (turn < turns) this.files.set(`./model-${turn}`, Buffer.from(`weights ${turn} `.repeat(turn * 40)));
    }
    this.#meetObstacle();
    this.print(`exit ${exit}\n`);
    this.isLeft = leaves && !vanishes;
    this.process = vanishes ? "lost" : "ended";
  }

  #meetObstacle(): void {
    const { obstacle } = this.fate;
    if (obstacle === "odd-name") this.files.set("./two\nlines", Buffer.from("odd"));
    if (obstacle !== "unreadable") return;
    this.files.set("./secret", Buffer.from("not for everybody"));
    this.unreadable.add("./secret");
  }

  print(text: string): void {
    this.log = Buffer.concat([this.log, Buffer.from(text)]);
  }

  /** What it is compared by: the files of these names, and the log as `-`. */
  contentOf(name: string): Buffer | undefined {
    if (this.#broken.comparesHere) return this.packed.get(name);
    if (name === LOG_NAME) return this.log;
    return this.unreadable.has(name) ? undefined : this.files.get(name);
  }

  /** The names of its results, as a list has them. */
  names(): readonly string[] {
    // One that can't be read is passed over, and what lies below it.
    const all = [...this.files.keys()].slice(0, this.fate.obstacle === "unlisted" ? -1 : undefined);
    return this.#broken.comparesHere && this.packed.size > 0 ? all.filter((name) => this.packed.has(name)) : all;
  }

  /** The results are packed, and haven't been compared yet. */
  afterPacking(): void {
    const { change } = this.fate;
    if (change === "changed" || change === "added")
      this.files.set(change === "added" ? "./late" : "./model-1", Buffer.from("came later"));
    if (change === "log-grows" && !this.log.includes("late")) this.print("late\n");
  }
}
