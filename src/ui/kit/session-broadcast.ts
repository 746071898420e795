// Tells other windows about a sign-in or sign-out through a small file, because not every editor reports changes of
// secrets to its other windows.
import { type FSWatcher, watch } from "node:fs";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { stored } from "../../ids.ts";
import type { Disposable } from "../../lib/disposable.ts";
import { Emitter, type Event } from "../../lib/event.ts";
import type { Log } from "../../lib/log.ts";
import type { SessionNews } from "../../services/core/profiles.ts";

export interface SessionBroadcast extends Disposable {
  readonly tell: (news: SessionNews) => void;
  /** What another window announced. */
  readonly onDidHear: Event<SessionNews>;
}

const Profile = z.object({ id: z.string(), base: z.string(), name: z.string(), user: z.number().optional() });
const Note = z.object({ origin: z.string(), signedIn: z.boolean(), profile: Profile.optional(), from: z.string() });

/**
 * Opens the broadcast in a folder that all windows share; the folder is created if it is missing. If it can't be used,
 * nothing is announced: the editor's own events still report most changes.
 */
export async function openSessionBroadcast(folder: string, log: Log): Promise<SessionBroadcast> {
  const me = crypto.randomUUID();
  const heard = new Emitter<SessionNews>();
  const path = join(folder, stored.news);
  let last = await readFile(path, "utf8").catch(() => "");
  const read = async () => {
    const text = await readFile(path, "utf8").catch(() => "");
    if (text === last) return;
    last = text;
    const note = parse(text);
    if (!note || note.from === me) return;
    const { origin, signedIn, profile } = note;
    heard.fire({ origin, signedIn, ...(profile ? { profile: { ...profile, user: profile.user } } : {}) });
  };
  const tell = async (news: SessionNews) => {
    const draft = `${path}.${me}`;
    await writeFile(draft, JSON.stringify({ ...news, from: me, at: Date.now() }), { mode: 0o600 });
    await rename(draft, path);
  };
  const quietly = (error: unknown) => log.warn("Other windows cannot be told of a sign-in or sign-out.", error);
  let watcher: FSWatcher | undefined;
  try {
    await mkdir(folder, { recursive: true });
    watcher = watch(folder, (_, name) => name === stored.news && void read());
    watcher.on("error", quietly);
  } catch (error) {
    quietly(error);
  }
  return {
    tell: (news) => void tell(news).catch(quietly),
    onDidHear: heard.event,
    dispose: () => {
      watcher?.close();
      heard.dispose();
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
