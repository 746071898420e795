// Tells other windows about a sign-in or sign-out through a small file, because not every editor reports changes of
// secrets to its other windows.
import { type FSWatcher, watch } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { stored } from "../../ids.ts";
import { realClock } from "../../lib/clock.ts";
import type { Disposable } from "../../lib/disposable.ts";
import { Emitter, type Event } from "../../lib/event.ts";
import type { Log } from "../../lib/log.ts";
import { replaceFile } from "../../services/core/book/replace-file.ts";
import type { SessionChange } from "../../services/core/profiles.ts";

export interface SessionBroadcast extends Disposable {
  readonly tell: (change: SessionChange) => void;
  /** What another window announced. */
  readonly onDidReceive: Event<SessionChange>;
}

const Profile = z.object({
  id: z.string(),
  base: z.string(),
  name: z.string(),
  alias: z.string().optional(),
  user: z.number().optional(),
});
const Note = z.object({
  origin: z.string(),
  signedIn: z.boolean(),
  profile: Profile.optional(),
  renamed: z.literal(true).optional(),
  forgotten: z.string().optional(),
  from: z.string(),
});

/** Milliseconds that an announcement stays before the next one replaces it, so that every window can read it. */
const READ_WITHIN = 100;

/**
 * Opens the broadcast in a folder that all windows share; the folder is created if it is missing. If it can't be used,
 * nothing is announced: the editor's own events still report most changes.
 */
export async function openSessionBroadcast(folder: string, log: Log): Promise<SessionBroadcast> {
  const me = crypto.randomUUID();
  const changes = new Emitter<SessionChange>();
  const path = join(folder, stored.broadcast);
  let last = await readFile(path, "utf8").catch(() => "");
  const read = async () => {
    const text = await readFile(path, "utf8").catch(() => "");
    if (text === last) return;
    last = text;
    const note = parse(text);
    if (!note || note.from === me) return;
    const { origin, signedIn, renamed, forgotten, profile } = note;
    changes.fire({
      origin,
      signedIn,
      renamed,
      forgotten,
      ...(profile ? { profile: { ...profile, user: profile.user } } : {}),
    });
  };
  const tell = async (change: SessionChange) => {
    await replaceFile({ path, text: JSON.stringify({ ...change, from: me, at: realClock.now() }) });
    await realClock.sleep(READ_WITHIN);
  };
  let turn: Promise<unknown> = Promise.resolve();
  const quietly = (error: unknown) => log.warn("Other windows cannot be told of a sign-in or sign-out.", error);
  let watcher: FSWatcher | undefined;
  try {
    await mkdir(folder, { recursive: true });
    watcher = watch(folder, (_, name) => name === stored.broadcast && void read());
    watcher.on("error", quietly);
  } catch (error) {
    quietly(error);
  }
  return {
    tell: (change) => {
      turn = turn.then(() => tell(change)).catch(quietly);
    },
    onDidReceive: changes.event,
    dispose: () => {
      watcher?.close();
      changes.dispose();
    },
  };
}

function parse(text: string): z.infer<typeof Note> | undefined {
  try {
    return Note.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}
