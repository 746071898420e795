// Run on Group…: one command on all machines of a group, in one terminal, each line with the number of the machine that printed it.
import * as vscode from "vscode";
import { AppError, asAppError } from "../../domain/base/error.ts";
import type { GroupFacts } from "../../domain/group/group-facts.ts";
import type { GroupRunEvent } from "../../domain/group/group-run.ts";
import { t, toLabel } from "../../lib/text.ts";
import { formatInstanceCount } from "../../present/base/counts.ts";
import { describeGroupRunEvent, formatRank, summarizeGroupRun } from "../../present/group/group-run-text.ts";
import { formatCommand } from "../../present/run/run-text.ts";
import { runOnGroup } from "../../services/group/run-on-group.ts";
import { askText } from "../kit/ask/steps.ts";
import { TextTerminal } from "../kit/text-terminal.ts";
import { findGroupTarget } from "./group-commands.ts";
import type { GroupServices } from "./group-services.ts";

/** Characters. */
const LONGEST_COMMAND = 4000;

type Run = (tell: (event: GroupRunEvent) => void, signal: AbortSignal) => Promise<void>;

export async function runCommandOnGroup(services: GroupServices, args: readonly unknown[]): Promise<void> {
  const { session, groups } = services;
  const account = session.requireSignedIn();
  const group = await findGroupTarget(services, args, t("Run on Group"));
  if (!group) return;
  const command = await askText({
    title: t("Run on Group {0}", group.name),
    prompt: t(
      "Command to run on all {0}. CLOUD_GPU_RANK and CLOUD_GPU_COUNT identify each instance.",
      formatInstanceCount(group.members.length),
    ),
    value: "",
    placeholder: "nvidia-smi -L",
    read: readCommand,
  });
  if (typeof command !== "string") return;
  session.assertStill(account);
  // As it stands now: the box may have been open for long.
  const now = groups.find(group.id) ?? group;
  const run: Run = (tell, signal) => runOnGroup(services, account, { group: now, command }, tell, signal);
  const pty = new GroupRunTerminal(now, command, run);
  vscode.window
    .createTerminal({ name: toLabel(now.name), pty, iconPath: new vscode.ThemeIcon("server-environment") })
    .show();
}

/** @throws AppError `rejected` for nothing, for several lines, and for more than a command line takes. */
function readCommand(typed: string): string {
  const command = typed.trim();
  if (command === "") throw new AppError("rejected", t("Command: enter a command."));
  if (command.length > LONGEST_COMMAND)
    throw new AppError(
      "rejected",
      t("Command: {0} characters is too long (maximum {1}).", command.length, LONGEST_COMMAND),
    );
  if (/[\p{Cc}\u2028\u2029]/u.test(command))
    throw new AppError("rejected", t("Command: remove the line break or control character."));
  return command;
}

class GroupRunTerminal extends TextTerminal {
  readonly #group: GroupFacts;
  readonly #command: string;
  readonly #run: Run;

  constructor(group: GroupFacts, command: string, run: Run) {
    super();
    this.#group = group;
    this.#command = command;
    this.#run = run;
  }

  open(): void {
    const { name, members } = this.#group;
    this.lines.say(
      t(
        "Running on {0} of group “{1}”: {2}",
        formatInstanceCount(members.length),
        name,
        formatCommand(this.#command, 300),
      ),
    );
    this.lines.say(t("Press Ctrl+C to stop it on all instances."));
    void this.#follow();
  }

  /** As where the person closes it, what it started ends. */
  protected interrupt(): void {
    this.abort();
  }

  async #follow(): Promise<void> {
    const ends: GroupRunEvent[] = [];
    try {
      await this.#run((event) => {
        if (event.kind === "ended" || event.kind === "failed") ends.push(event);
        if (event.kind === "line") this.lines.write(`${formatRank(event.rank)}${event.line}\n`);
        const said = describeGroupRunEvent(event);
        if (said !== undefined) this.lines.say(said);
      }, this.signal);
      this.lines.say(summarizeGroupRun(ends));
    } catch (error) {
      this.lines.say(asAppError(error).message);
    }
    this.end();
  }
}
