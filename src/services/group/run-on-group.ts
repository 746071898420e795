// Runs one command on all machines of a group at once, and tells what each of them prints, line by line.
import { AppError, asAppError } from "../../domain/base/error.ts";
import type { GroupFacts, MemberFacts } from "../../domain/group/group-facts.ts";
import { buildGroupCommand, type GroupRunEvent } from "../../domain/group/group-run.ts";
import { t } from "../../lib/text.ts";
import { Turns } from "../../lib/turns.ts";
import { loginQuietly, type QuietLoginServices } from "../connection/quiet-login.ts";
import { withCommand } from "../connection/run-there.ts";
import { toMachineError } from "../connection/ssh/ssh-failure.ts";
import type { SignedIn } from "../core/session.ts";
import { OutputReader } from "./output-reader.ts";

/** Logins at a time. What was started goes on beside those that follow. */
const LOGINS = 8;

/**
 * Resolves once it has ended on all of them. The signal ends it everywhere; so does a change of account.
 * @throws AppError `rejected` if the account was left before it began.
 */
export async function runOnGroup(
  services: QuietLoginServices,
  account: SignedIn,
  { group, command }: { readonly group: GroupFacts; readonly command: string },
  tell: (event: GroupRunEvent) => void,
  signal: AbortSignal,
): Promise<void> {
  const { session } = services;
  session.assertStill(account);
  const left = new AbortController();
  const listening = session.onDidChange(() => left.abort(new AppError("rejected", t("You switched accounts."))));
  const ending = AbortSignal.any([signal, left.signal]);
  const takeTurn = limitTurns(LOGINS);
  const run = async (member: MemberFacts) => {
    const { rank } = member;
    await runOnMember(
      services,
      account,
      { member, command, count: group.members.length },
      { tell, takeTurn, ending },
    ).catch((thrown) => {
      const why = ending.aborted ? t("Stopped.") : asAppError(thrown).message;
      tell({ kind: "failed", rank, why });
    });
  };
  try {
    await Promise.all(group.members.map(run));
  } finally {
    listening.dispose();
  }
}

interface Turn {
  readonly tell: (event: GroupRunEvent) => void;
  readonly takeTurn: <T>(work: () => Promise<T>) => Promise<T>;
  readonly ending: AbortSignal;
}

async function runOnMember(
  services: QuietLoginServices,
  account: SignedIn,
  { member, command, count }: { readonly member: MemberFacts; readonly command: string; readonly count: number },
  { tell, takeTurn, ending }: Turn,
): Promise<void> {
  const { rank, id, state } = member;
  if (id === undefined || (state !== "ready" && state !== "coming"))
    throw new AppError("rejected", t("It isn't running."));
  const machine = await takeTurn(async () => {
    ending.throwIfAborted();
    return await loginQuietly(services, account, id, ending);
  });
  services.session.assertStill(account);
  await withCommand(machine, buildGroupCommand(command, rank, count), ending, async (running) => {
    tell({ kind: "started", rank });
    const lines = new OutputReader((line) => tell({ kind: "line", rank, line }));
    running.stdout.setEncoding("utf8");
    const turns = new Turns(ending);
    for await (const text of running.stdout as AsyncIterable<string>) {
      lines.push(text);
      await turns.take();
    }
    lines.end();
    const end = await running.ended;
    ending.throwIfAborted();
    if (end.code === undefined || end.code === 255) throw toMachineError(machine, end);
    tell({ kind: "ended", rank, code: end.code });
  });
}

/** At most so many at a time. */
function limitTurns(most: number): <T>(work: () => Promise<T>) => Promise<T> {
  let free = most;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (free === 0) await new Promise<void>((resolve) => waiting.push(resolve));
    else free -= 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    }
  };
}
