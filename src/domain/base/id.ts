// Identifiers: whole numbers that stay exact, branded so that one kind is never taken for another.
import * as z from "zod";

/** A positive integer JavaScript can hold exactly (up to 2^53 - 1). Digits in a string are taken as the number they write. */
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
/** A template's numeric id: only for deleting (interface 2.3). */
export const TemplateId = WireId.brand<"TemplateId">();
export type TemplateId = z.infer<typeof TemplateId>;
/**
 * A template's `hash_id`: for launching and editing; it changes at every edit (interface 2.3). The interface does not say
 * what it is made of, so any printable text is one. Whoever names files or addresses by it has to encode it.
 */
export const TemplateHash = z
  .string()
  .regex(/^[^\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]{1,256}$/u)
  .brand<"TemplateHash">();
export type TemplateHash = z.infer<typeof TemplateHash>;
