// Whether somebody who was connected to says something in time.
import type { Socket } from "node:net";
import type { Clock } from "../../lib/clock.ts";

/** Milliseconds for one try, however slowly a server speaks. */
const WITHIN = 5000;

/** What was heard within 5 s, false if nothing was; hangs up. */
export async function waitForAnswer(
  socket: Socket,
  heard: Promise<boolean>,
  clock: Clock,
  signal?: AbortSignal,
): Promise<boolean> {
  const over = new AbortController();
  const late = clock.sleep(WITHIN, signal ? AbortSignal.any([signal, over.signal]) : over.signal).then(
    () => false,
    () => false,
  );
  try {
    return await Promise.race([heard, late]);
  } finally {
    over.abort();
    socket.destroy();
  }
}
