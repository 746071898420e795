// Identifiers: exact whole numbers, branded so that one kind can't be mistaken for another.
import * as z from "zod";

/** A positive integer JavaScript can represent exactly (up to 2^53 - 1). A string of digits counts as the number. */
export const WireId = z.union([
  z.int().positive(),
  z
    .string()
    .regex(/^[1-9]\d{0,15}$/)
    .transform(Number)
    .pipe(z.int().positive()),
]);

export const OfferId = WireId.brand<"OfferId">();
export type OfferId = z.infer<typeof OfferId>;
export const InstanceId = WireId.brand<"InstanceId">();
export type InstanceId = z.infer<typeof InstanceId>;
/** A template's numeric ID, used only to delete it (interface 2.3). */
export const TemplateId = WireId.brand<"TemplateId">();
export type TemplateId = z.infer<typeof TemplateId>;
/** A run of a command. Names a folder on the machine and a file here. */
export const RunId = z
  .string()
  .regex(/^\d{8}-\d{6}-[a-z0-9-]{1,40}$/)
  .brand<"RunId">();
export type RunId = z.infer<typeof RunId>;
/**
 * A template's `hash_id`, used to launch and to edit; every edit changes it (interface 2.3). The interface doesn't
 * define its form, so any printable text is allowed. Code that uses it in a file name or address must encode it.
 */
export const TemplateHash = z
  .string()
  .regex(/^[^\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]{1,256}$/u)
  .brand<"TemplateHash">();
export type TemplateHash = z.infer<typeof TemplateHash>;
