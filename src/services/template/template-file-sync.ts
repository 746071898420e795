// Synchronizes a template file with the service's template: compares them, decides whether to push or pull, and pushes.
import { toFileEnv, withStoredSecrets } from "../../domain/template/environment/env-secrets.ts";
import { listChangedFields } from "../../domain/template/template-changes.ts";
import {
  createTemplateFile,
  type ReadTemplateFile,
  readSendable,
  readTemplateFile,
  type Sync,
  withSync,
  withTemplateContent,
} from "../../domain/template/template-file.ts";
import type { TemplateField, WholeDraft } from "../../domain/template/template-form.ts";
import type { SignedIn } from "../core/session.ts";
import { type SaveOutcome, type Stored, type TemplateSaves, toStored } from "./template-saves.ts";
import type { TemplatesService } from "./templates.ts";

/** The file was never pushed, its template is gone, or someone else owns the template. */
interface Alone {
  readonly kind: "new" | "gone" | "foreign";
  readonly draft: WholeDraft;
}

export interface Pair<Kind extends string> {
  readonly kind: Kind;
  readonly draft: WholeDraft;
  readonly stored: Stored;
  /** Fields in which the file differs from the service. */
  readonly fields: readonly TemplateField[];
}

export type Pushable = Alone | Pair<"in-step">;
/** `drifted`: the service's template differs from the last push or pull, and from the file. */
export type Comparison = Pushable | Pair<"drifted">;

const toSync = ({ id, hash }: Pick<Stored, "id" | "hash">): Sync => (id === undefined ? { hash } : { id, hash });

/** The file's content with the values that it leaves out, as the service holds them. */
const completed = (draft: WholeDraft, stored: Stored): WholeDraft => ({
  ...draft,
  env: withStoredSecrets(draft.env, stored.draft.env),
});

/** The service's content as a file has it: see `toFileEnv`. */
const forFile = ({ draft }: Stored, inFile?: string): WholeDraft => ({
  ...draft,
  env: toFileEnv(draft.env, inFile).text,
});

/**
 * How a file compares to the service's template. `lock`: the hash differs, but a save gave the service the same content
 * as the file, so there is nothing to push or lose.
 */
export function compareWithSync(draft: WholeDraft, sync: Sync, stored: Stored): "none" | "lock" | "content" {
  if (stored.hash === sync.hash) return "none";
  return listChangedFields(stored.draft, draft).length === 0 ? "lock" : "content";
}

/** The service's template, if it is known to differ from the one in the lock. No server is asked. */
export function findDrift(
  templates: TemplatesService,
  { draft, sync }: ReadTemplateFile,
): { readonly now: Stored; readonly in: "lock" | "content" } | undefined {
  if (!draft || sync?.id === undefined) return undefined;
  const row = templates.findByNumber(sync.id);
  if (!row || row.value.hash_id === sync.hash) return undefined;
  const now = toStored(row);
  return { now, in: compareWithSync(completed(draft, now), sync, now) === "lock" ? "lock" : "content" };
}

/** Reads the file, then the service. @throws AppError; a file with an error is refused before anything is sent. */
export async function compareFile(
  saves: Pick<TemplateSaves, "read">,
  account: SignedIn,
  text: string,
): Promise<Comparison> {
  const { draft: written, sync } = readSendable(text);
  if (sync === undefined) return { kind: "new", draft: written };
  const stored = await saves.read(account, { id: sync.id, hash: sync.hash });
  if (stored === undefined) return { kind: "gone", draft: written };
  const draft = completed(written, stored);
  const fields = listChangedFields(stored.draft, draft);
  const kind = compareWithSync(draft, sync, stored) === "content" ? "drifted" : "in-step";
  return { kind, draft, stored, fields };
}

/**
 * Creates the template or sends the fields that differ. Never overwrites changes that others made.
 * @throws AppError.
 */
export async function pushDraft(
  saves: Pick<TemplateSaves, "create" | "edit">,
  account: SignedIn,
  seen: Pushable,
): Promise<SaveOutcome> {
  return "stored" in seen
    ? await saves.edit(account, seen.stored, seen.draft)
    : await saves.create(account, seen.draft);
}

const envOf = (text: string): string | undefined => readTemplateFile(text).draft?.env;

/** The file's text after taking over the service's template, without the values of secrets that the file doesn't have already. */
export function withPulledContent(text: string, stored: Stored): string {
  return withTemplateContent(text, forFile(stored, envOf(text)), toSync(stored));
}

/** Whether a pull may bring secrets into the file, in flags that can't be read one by one. */
export function mayPullSecrets(text: string, stored: Stored): boolean {
  return toFileEnv(stored.draft.env, envOf(text)).mayHoldSecret;
}

export function withPinnedVersion(text: string, stored: Stored): string {
  return withSync(text, toSync(stored));
}

/** A new file, without the values of secrets. */
export function toTemplateFile(stored: Stored): string {
  return createTemplateFile(forFile(stored), toSync(stored));
}
