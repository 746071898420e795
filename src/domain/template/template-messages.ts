// What there is to ask and to say while templates are edited, as plain data: `present` has the words, and a test reads
// the data.
import type { TemplateId } from "../base/id.ts";
import type { TemplateField, WholeDraft } from "./template-form.ts";
import type { TextField } from "./template-path.ts";

/** What identifies a form to the person. */
export interface FormName {
  /** As typed. */
  readonly name: string;
  /** False for a template that doesn't exist yet. */
  readonly isStored: boolean;
}

/** One sentence at the top of a form about what just happened to it. */
export type EditNotice =
  /** Someone else changed the template. The form had no changes, so it shows their version. */
  | { readonly kind: "followed" }
  /** `at` in wall clock milliseconds; `withheld` are the secret variables whose values must be typed again. */
  | { readonly kind: "restored"; readonly at: number; readonly withheld: readonly string[] }
  | { readonly kind: "copied-without-token" }
  /** Nothing was created: the account has a template with exactly this content. */
  | { readonly kind: "existed"; readonly id: TemplateId | undefined }
  /** The changes made here were applied to someone else's version. */
  | { readonly kind: "rebased" }
  | { readonly kind: "merged" };

/** What is asked before something is sent or lost. */
export type TemplateQuestion =
  | { readonly kind: "discard"; readonly form: FormName }
  /** `isAutomatic` if the editor saves the tab on its own. */
  | { readonly kind: "save-text"; readonly field: TextField; readonly name: string; readonly isAutomatic: boolean }
  | { readonly kind: "undecided-merge" }
  /** The fields that a push changes `from` what the service has `to` what the file says. */
  | {
      readonly kind: "push-changes";
      readonly fields: readonly TemplateField[];
      readonly from: WholeDraft;
      readonly to: WholeDraft;
    }
  | {
      readonly kind: "push-new";
      /** Why the file isn't pushed to the template it came from. */
      readonly why: "new" | "gone" | "foreign" | "other-account";
      readonly name: string;
      readonly isPrivate: boolean;
      /** The file names a registry user, but files hold no registry token. */
      readonly needsToken: boolean;
      /** Secret variables of the file that have no value. */
      readonly withoutValue: readonly string[];
    }
  | { readonly kind: "delete"; readonly name: string; readonly id: TemplateId | undefined };

export type TemplateMessage =
  | { readonly kind: "closed-unsaved"; readonly form: FormName }
  | { readonly kind: "not-own"; readonly name: string }
  | { readonly kind: "already-deleted" }
  /** The file and the template are equal already. */
  | { readonly kind: "nothing-to-push"; readonly name: string }
  | { readonly kind: "pushed"; readonly name: string; readonly hash: string }
  | { readonly kind: "push-existed" }
  /** Pushed, but the file changed in the meantime and can't be read, so its lock couldn't be updated. */
  | { readonly kind: "lock-outdated"; readonly name: string; readonly hash: string }
  | { readonly kind: "drifted"; readonly name: string }
  /** A file was written without the values of these secret variables. */
  | { readonly kind: "saved-without"; readonly variables: readonly string[] }
  /** A file was written with variables that can't be read, and may be secret. */
  | { readonly kind: "may-hold-secrets"; readonly name: string }
  | { readonly kind: "pulled"; readonly fields: readonly TemplateField[] }
  /** The file is in step with a template of another account or service, which stays as it is. */
  | { readonly kind: "of-other-account"; readonly name: string }
  | { readonly kind: "launch-differs"; readonly why: "new" | "changed" | "other-account" };

/** What the person can do about a message. */
export type TemplateAction =
  | "reopen"
  | "discard"
  | "duplicate"
  | "diff"
  | "pull"
  | "repin"
  | "switch-account"
  | "launch"
  | "push-and-launch";
