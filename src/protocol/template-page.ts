// What the template editor's page and its host may exchange: a closed list, validated at both ends.
import * as z from "zod";
import { TemplateHash, TemplateId } from "../domain/base/id.ts";
import { StoredFilters } from "../domain/offer/filter.ts";
import { TemplateForm } from "../domain/template/template-form.ts";
import type { Contract } from "./messages.ts";

/** Without the password, which leaves the page only for a save or for reading a registry's tags. */
const FormWithoutPassword = TemplateForm.extend({ docker_login_pass: z.literal("") });
const FieldName = z.keyof(TemplateForm);

/**
 * Someone else changed or deleted the template being edited. `fields` changed there; `both` changed there and here.
 */
const Conflict = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("changed"), fields: z.array(FieldName), both: z.array(FieldName) }),
  z.strictObject({ kind: z.literal("deleted") }),
]);

/** Identifies a page after a reload. `id` is the stored template's number. */
const FormPlace = z.strictObject({
  account: z.string(),
  key: z.string(),
  /** The key its draft started with. */
  root: z.string(),
  id: TemplateId.optional(),
});

/** Everything the page shows that the host decides. */
export const PageState = z.strictObject({
  /** Undefined for a template that doesn't exist yet. */
  hash: TemplateHash.optional(),
  place: FormPlace,
  /** The stored version, which edits are compared with. */
  base: FormWithoutPassword,
  form: FormWithoutPassword,
  /** True if the service has the template and it names a registry user, so it may hold a password. */
  mayHoldPassword: z.boolean(),
  conflict: Conflict.optional(),
  /** One sentence about what just happened. */
  notice: z.string().optional(),
});
export type PageState = z.infer<typeof PageState>;

/** How many machines match the filters right now, as a sentence ready to show. */
export const Supply = z.strictObject({ count: z.int().nonnegative(), text: z.string() });
export type Supply = z.infer<typeof Supply>;

/** Sent unsolicited. `replace` means that the page takes over the form; otherwise it keeps what was typed. */
export const PageUpdate = z.strictObject({ state: PageState, replace: z.boolean() });
export type PageUpdate = z.infer<typeof PageUpdate>;

/**
 * What the host can do with the template as it is stored, each by the command that does it elsewhere, too. None of them
 * takes anything from the page, and a launch asks all its questions.
 */
export const PageAction = z.enum(["launch", "saveToFile", "editOnstart", "previewReadme"]);
export type PageAction = z.infer<typeof PageAction>;

export const templatePage = {
  /** Always asked first, once. The page shows nothing until it is answered. */
  open: {
    question: z.null(),
    answer: z.strictObject({
      state: PageState,
      dictionary: z.record(z.string(), z.string()),
    }),
  },
  /** The current input, for the stored draft. `secret` means that a password is typed as well. */
  change: { question: z.strictObject({ form: FormWithoutPassword, secret: z.boolean() }), answer: z.null() },
  save: { question: TemplateForm, answer: PageState },
  /** Restores the stored version. Undefined if the person canceled. */
  revert: { question: z.null(), answer: PageState.optional() },
  /** Resolves a conflict: compare both versions, put mine on top of theirs, or take theirs. */
  settle: { question: z.enum(["compare", "mine", "theirs"]), answer: PageState.optional() },
  /** Refused while the template isn't stored, and a launch while there are unsaved changes. */
  act: { question: PageAction, answer: z.null() },
  /** Lets the person choose among the registry's tags. Undefined if none was chosen. */
  tags: {
    question: TemplateForm.pick({
      image: true,
      tag: true,
      docker_login_repo: true,
      docker_login_user: true,
      docker_login_pass: true,
    }),
    answer: z.string().optional(),
  },
  supply: { question: z.strictObject({ filters: StoredFilters, diskGb: z.number().positive() }), answer: Supply },
} as const satisfies Contract;
export type TemplatePage = typeof templatePage;

/**
 * What the editor keeps of a page across a reload, in a file of its own: how to find the page, and nothing that was
 * typed. Typed text is kept as a draft, with its secrets in secret storage.
 */
export const TabState = z.strictObject({ ...FormPlace.shape, hash: TemplateHash.optional() });
export type TabState = z.infer<typeof TabState>;
