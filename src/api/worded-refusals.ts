// What a refusal means where only the service's sentence tells. Nothing outside `api` reads the service's English.

/** By operation: a sentence of the service, and the code that stands for it in `AppError.facts`. */
const MEANINGS: Readonly<Record<string, readonly (readonly [sentence: RegExp, code: string])[]>> = {
  editTemplate: [[/none found/i, "none_found"]],
  deleteTemplate: [
    [/still using/i, "template_in_use"],
    [/creator/i, "not_creator"],
  ],
  fetchImageTags: [[/unauthori[sz]ed|credential|login|denied/i, "registry_error"]],
};

/** The code of a refusal: the one its sentence stands for, or else the service's own; "" if there is neither. */
export function toRefusalCode(
  operation: string,
  { code, text }: { readonly code: string; readonly text: string },
): string {
  const known = MEANINGS[operation]?.find(([sentence]) => sentence.test(`${code} ${text}`));
  return known?.[1] ?? code;
}

/** Whether a start waits until its GPU is free again. */
export const saysQueued = (words: string): boolean => /resources_unavailable|queued/i.test(words);

/** Whether an instance that is to be destroyed isn't there. */
export const saysGone = (words: string): boolean => /no_such_instance|not_found/i.test(words);

/** Whether a key that is to be attached is attached already. */
export const saysAttached = ({ msg }: { readonly msg?: unknown }): boolean =>
  typeof msg === "string" && /already/i.test(msg);

/** The input that a refusal names: "image must not be empty", "unknown field 'image'". Other words in quotes are values. */
export function findRefusedInput(text: string): string | undefined {
  return (
    /^(\w+) (?:must|is|has|may|cannot)\b/.exec(text)?.[1] ?? /\b(?:field|argument|parameter) '(\w+)'/i.exec(text)?.[1]
  );
}
