// The person who edits templates. The extension asks with modals, notifications and the merge view; a test answers from
// lists.
import type { TemplateAction, TemplateMessage, TemplateQuestion } from "../../domain/template/template-messages.ts";
import type { ThreeTexts } from "../../domain/template/template-text.ts";

export interface TemplatePerson {
  confirm(question: TemplateQuestion): Promise<boolean>;
  /** @returns the action the person chose; undefined if they chose none. */
  tell(message: TemplateMessage, actions: readonly TemplateAction[]): Promise<TemplateAction | undefined>;
}

/** Three versions of a text for the person to merge. */
export interface Merge extends ThreeTexts {
  /** Identifies the merge; letters, digits and dashes. */
  readonly key: string;
  /** File name, which tells the editor the language. */
  readonly name: string;
  /** Takes the merged text. @throws AppError if the text can't be used; the person can then correct it. */
  readonly apply: (text: string) => void | Promise<void>;
}

/** Someone who also merges conflicting versions. */
export interface MergingPerson extends TemplatePerson {
  /** Resolves once the versions are shown. The merged text comes later, or never. */
  merge(merge: Merge): Promise<void>;
}
