// What the template editor's page and its host may say to each other: a closed list, checked at both ends.
import * as z from "zod";
import { TemplateHash, TemplateId } from "../domain/base/id.ts";
import { StoredFilters } from "../domain/offer/filter.ts";
import { TemplateForm } from "../domain/template/template-form.ts";
import type { Contract } from "./messages.ts";

/** No password: it leaves the page only to be saved or to read a registry's tags. */
const FormWithoutPassword = TemplateForm.extend({ docker_login_pass: z.literal("") });
const FieldName = z.keyof(TemplateForm);

/** Somebody else changed or deleted what is being edited. `fields`: changed there; `both`: changed there and here. */
export const Conflict = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("changed"), fields: z.array(FieldName), both: z.array(FieldName) }),
  z.strictObject({ kind: z.literal("deleted") }),
]);
export type Conflict = z.infer<typeof Conflict>;

/** What a page is found again by after a reload. `id` is the stored template's number. */
export const Place = z.strictObject({
  account: z.string(),
  key: z.string(),
  /** The key its draft began with. */
  root: z.string(),
  id: TemplateId.optional(),
});
export type Place = z.infer<typeof Place>;

/** All the page shows that the host decides. */
export const PageState = z.strictObject({
  /** Undefined for a template that does not exist yet. */
  hash: TemplateHash.optional(),
  place: Place,
  /** What is stored, and what edits are compared with. */
  base: FormWithoutPassword,
  form: FormWithoutPassword,
  /** True where the service has the template and it names a registry user, and so may hold a password. */
  mayHoldPassword: z.boolean(),
  conflict: Conflict.optional(),
  /** One sentence on what just happened. */
  notice: z.string().optional(),
});
export type PageState = z.infer<typeof PageState>;

/** How many machines meet the filters right now, in words ready to show. */
export const Supply = z.strictObject({ count: z.int().nonnegative(), text: z.string() });
export type Supply = z.infer<typeof Supply>;

/** Told unasked. `replace`: the form is to be taken over as well; else what is typed in the page stays. */
export const PageNews = z.strictObject({ state: PageState, replace: z.boolean() });
export type PageNews = z.infer<typeof PageNews>;

export const templatePage = {
  /** Asked first and once: the page shows nothing before. */
  open: {
    question: z.null(),
    answer: z.strictObject({
      state: PageState,
      dictionary: z.record(z.string(), z.string()),
    }),
  },
  /** What is typed now, for the shelf of drafts. `secret`: a password is typed as well. */
  change: { question: z.strictObject({ form: FormWithoutPassword, secret: z.boolean() }), answer: z.null() },
  save: { question: TemplateForm, answer: PageState },
  /** Back to what is stored; undefined where the person thought better of it. */
  revert: { question: z.null(), answer: PageState.optional() },
  /** Settles a conflict: both versions side by side, mine on top of theirs, or theirs alone. */
  settle: { question: z.enum(["compare", "mine", "theirs"]), answer: PageState.optional() },
  /** Lets the person choose among the registry's tags; undefined where none was chosen. */
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
 * What the editor keeps of a page over a reload, in a file of its own: where to find it again and nothing that was typed,
 * which is on the shelf of drafts, with its secrets where they are safe.
 */
export const Kept = z.strictObject({ ...Place.shape, hash: TemplateHash.optional() });
export type Kept = z.infer<typeof Kept>;
