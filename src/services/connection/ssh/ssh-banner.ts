// Whether an SSH server answers: it names its version, "SSH-2.0-…", before anything is sent.
import { connect } from "node:net";
import type { SshAddress } from "../../../domain/connection/ssh-address.ts";
import type { Clock } from "../../../lib/clock.ts";
import { waitForAnswer } from "../../core/wait-for-answer.ts";

/** Characters that a server may say before it names its version. */
const MOST_READ = 4096;

/** Milliseconds: a server that looks up who connects, or is busy, greets late. `ssh` itself waits as long. */
const GREETS_WITHIN = 15_000;

/** Connects, listens and hangs up. @returns whether an SSH server answered: 5 s are for the connection, 15 s for its greeting. */
export async function hasSshServer(address: SshAddress, clock: Clock, signal?: AbortSignal): Promise<boolean> {
  const socket = connect({ host: address.host, port: address.port });
  const heard = new Promise<boolean>((resolve) => {
    let said = "";
    socket.on("data", (chunk: Buffer) => {
      said += chunk.toString("latin1");
      if (/^SSH-/m.test(said)) resolve(true);
      else if (said.length > MOST_READ) resolve(false);
    });
    for (const event of ["error", "close"]) socket.on(event, () => resolve(false));
  });
  return await waitForAnswer(socket, heard, clock, signal, GREETS_WITHIN);
}
