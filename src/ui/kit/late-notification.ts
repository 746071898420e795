// Progress of what is mostly over at once: a notification that comes and goes in a moment would only be in the way.
import { realClock } from "../../lib/clock.ts";
import { type Report, withNotification } from "./messages.ts";

/** Milliseconds. */
const AT_ONCE = 700;

/** Runs the work, and shows its progress with a way to cancel it if it takes long. */
export async function withLateNotification<T>(
  title: string,
  work: (report: Report, cancelled: AbortSignal) => Promise<T>,
): Promise<T> {
  const abort = new AbortController();
  const late = new AbortController();
  let [stage, show]: [string, Report] = ["", () => undefined];
  const report: Report = (text) => {
    stage = text;
    show(text);
  };
  const running = work(report, abort.signal).finally(() => late.abort());
  // Its failure is told below.
  running.catch(() => undefined);
  const isLate = await realClock.sleep(AT_ONCE, late.signal).then(
    () => true,
    () => false,
  );
  if (!isLate) return await running;
  return await withNotification(title, true, async (shown, cancelled) => {
    show = shown;
    if (stage !== "") show(stage);
    cancelled.addEventListener("abort", () => abort.abort(), { once: true });
    if (cancelled.aborted) abort.abort();
    return await running;
  });
}
