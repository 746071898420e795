// Whether someone who was connected to says something in time.
import type { Socket } from "node:net";
import type { Clock } from "../../lib/clock.ts";

/** Milliseconds for a connection, and for a word after it, however slowly a server speaks. */
const WITHIN = 5000;

/** What was heard within so many milliseconds after the connection was there, 5 s if none are given; false if nothing was. Hangs up. */
export async function waitForAnswer(
  socket: Socket,
  heard: Promise<boolean>,
  clock: Clock,
  signal?: AbortSignal,
  within = WITHIN,
): Promise<boolean> {
  const over = new AbortController();
  const ending = signal ? AbortSignal.any([signal, over.signal]) : over.signal;
  const late = (milliseconds: number) =>
    clock.sleep(milliseconds, ending).then(
      () => false,
      () => false,
    );
  const connected = new Promise<undefined>((resolve) => socket.once("connect", () => resolve(undefined)));
  try {
    const failed = await Promise.race([connected, heard, late(WITHIN)]);
    return failed ?? (await Promise.race([heard, late(within)]));
  } finally {
    over.abort();
    socket.destroy();
  }
}
