// Synchronizes a template file with the service's template: compares them, decides whether to push or pull, and pushes.
import { isMarkOf } from "../../domain/base/account-mark.ts";
import type { TemplateHash } from "../../domain/base/id.ts";
import { withPlainRegistry } from "../../domain/template/check-form.ts";
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
import { toMarkedAccount } from "../core/account-mark.ts";
import type { Session, SignedIn } from "../core/session.ts";
import { type SaveOutcome, type Stored, type TemplateSaves, toStored } from "./template-saves.ts";
import type { TemplatesService } from "./templates.ts";

/** The file was never pushed, its template is gone, someone else owns the template, or it is in step with another account. */
interface Alone {
  readonly kind: "new" | "gone" | "foreign" | "other-account";
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

/** Whose template a file is in step with. */
export type SyncOwner = Pick<Sync, "base" | "user">;

/** The account's own templates carry its user. Those of others can be read by everyone on their service. */
export function getSyncOwner(
  templates: Pick<TemplatesService, "isOwn">,
  { address, user }: SignedIn,
  { id, hash }: Pick<Stored, "id" | "hash">,
): SyncOwner {
  const me = templates.isOwn(hash, id) ? user() : undefined;
  return { base: address.base, ...(me === undefined ? {} : { user: me }) };
}

/** Whether a file is in step with a template that this account can't mean: of another service, or of another user of this one. */
export function isOfOtherAccount({ base, user }: SyncOwner, account: SignedIn): boolean {
  const own = toMarkedAccount(account);
  return !isMarkOf({ base: base ?? own.base, account: own.tag, user }, own);
}

const toSync = ({ id, hash }: Pick<Stored, "id" | "hash">, owner: SyncOwner): Sync => ({
  ...(id === undefined ? {} : { id }),
  hash,
  ...owner,
});

/** The file's content with the values that it leaves out, as the service holds them. */
const completed = (draft: WholeDraft, stored: Stored): WholeDraft => ({
  ...(draft.docker_login_repo === stored.draft.docker_login_repo ? draft : withPlainRegistry(draft)),
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
  session: Session,
  { draft, sync }: ReadTemplateFile,
): { readonly now: Stored; readonly in: "lock" | "content" } | undefined {
  if (!draft || sync?.id === undefined || session.kind === "signed-out" || isOfOtherAccount(sync, session))
    return undefined;
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
  if (sync === undefined) return { kind: "new", draft: withPlainRegistry(written) };
  if (isOfOtherAccount(sync, account)) return { kind: "other-account", draft: withPlainRegistry(written) };
  return await compareWithService(saves, account, written, sync);
}

/** Reads the template by its number, which means the same for all accounts of its service. */
async function compareWithService(
  saves: Pick<TemplateSaves, "read">,
  account: SignedIn,
  written: WholeDraft,
  sync: Sync,
): Promise<Exclude<Comparison, { readonly kind: "new" }>> {
  const stored = await saves.read(account, { id: sync.id, hash: sync.hash });
  if (stored === undefined) return { kind: "gone", draft: withPlainRegistry(written) };
  const draft = completed(written, stored);
  const fields = listChangedFields(stored.draft, draft);
  const kind = compareWithSync(draft, sync, stored) === "content" ? "drifted" : "in-step";
  return { kind, draft, stored, fields };
}

/**
 * What a launch of a file uses: the service's version, if it matches. Another account of the same service may have published it.
 * @throws AppError.
 */
export async function findSameVersion(
  saves: Pick<TemplateSaves, "read">,
  account: SignedIn,
  text: string,
): Promise<{ readonly hash: TemplateHash } | { readonly differs: "new" | "changed" | "other-account" }> {
  const { draft, sync } = readSendable(text);
  if (sync === undefined) return { differs: "new" };
  const isOther = isOfOtherAccount(sync, account);
  if (isOther && sync.base !== account.address.base) return { differs: "other-account" };
  const seen = await compareWithService(saves, account, draft, sync);
  if ("stored" in seen && seen.fields.length === 0) return { hash: seen.stored.hash };
  return { differs: isOther ? "other-account" : "changed" };
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
export function withPulledContent(text: string, stored: Stored, owner: SyncOwner): string {
  return withTemplateContent(text, forFile(stored, envOf(text)), toSync(stored, owner));
}

/** Whether a pull may bring secrets into the file, in flags that can't be read one by one. */
export function mayPullSecrets(text: string, stored: Stored): boolean {
  return toFileEnv(stored.draft.env, envOf(text)).mayHoldSecret;
}

export function withPinnedVersion(text: string, stored: Stored, owner: SyncOwner): string {
  return withSync(text, toSync(stored, owner));
}

/** A new file, without the values of secrets. */
export function toTemplateFile(stored: Stored, owner: SyncOwner): string {
  return createTemplateFile(forFile(stored), toSync(stored, owner));
}
