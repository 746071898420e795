// The progress of an upload or a download in its notification, and what ends it: the person, or another account in this window.

import type { InstanceId } from "../../domain/base/id.ts";
import type { UploadSize } from "../../domain/transfer/upload-list.ts";
import type { TransferMoment } from "../../present/transfer/transfer-text.ts";
import { describeProgress } from "../../present/transfer/transfer-text.ts";
import type { SignedIn } from "../../services/core/session.ts";
import type { ConnectionServices } from "../connection/connection-services.ts";
import { withNotification } from "../kit/messages.ts";

/** Milliseconds between two lines, and over which the rate is taken. */
const EVERY = 250;
const RATE_OVER = 3000;

type Services = Pick<ConnectionServices, "session" | "clock" | "instanceUses">;

/**
 * Runs a transfer with its progress shown. Its signal aborts when the person cancels, and when the account is left.
 */
export async function withTransfer<T>(
  { session, clock, instanceUses }: Services,
  account: SignedIn,
  { id, title, of }: { readonly id: InstanceId; readonly title: string; readonly of?: UploadSize },
  work: (signal: AbortSignal, report: (now: UploadSize) => void) => Promise<T>,
): Promise<T> {
  return await withNotification(title, true, async (show, cancelled) => {
    const left = new AbortController();
    const check = () => {
      if (session.current !== account) left.abort();
    };
    const listening = session.onDidChange(check);
    const endUse = instanceUses.begin(id);
    // The editor may have taken a moment to begin.
    check();
    const marks: { at: number; bytes: number }[] = [{ at: clock.elapsed(), bytes: 0 }];
    let shownAt = Number.NEGATIVE_INFINITY;
    const report = ({ files, bytes }: UploadSize) => {
      const at = clock.elapsed();
      if (at - shownAt < EVERY) return;
      shownAt = at;
      marks.push({ at, bytes });
      while (marks.length > 2 && at - (marks[0]?.at ?? at) > RATE_OVER) marks.shift();
      const [first = { at, bytes }] = marks;
      const perSecond = at > first.at ? ((bytes - first.bytes) * 1000) / (at - first.at) : 0;
      const moment: TransferMoment = { files, bytes, of, perSecond };
      show(describeProgress(moment));
    };
    try {
      return await work(AbortSignal.any([cancelled, left.signal]), report);
    } finally {
      endUse();
      listening.dispose();
    }
  });
}
