// What one row of the endpoint table says, and the types that follow from it.
import type * as z from "zod";

/** `safe` calls may be repeated by themselves; `once` calls spend or destroy and are sent one time, ever. */
export type Repeat = "safe" | "once";

export interface EndpointRow {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Relative to the base address, trailing slash exactly as the interface writes it; `{id}` stands for a whole number. */
  readonly path: string;
  /** Shape of the query, all values as text. */
  readonly query?: z.ZodType<Readonly<Record<string, string>>>;
  readonly body?: z.ZodType;
  /** The envelope of a good answer; lists inside it are read row by row afterwards. */
  readonly reply: z.ZodType;
  /** `success: false` in a 200 is a refusal, unless it is part of a good answer of this endpoint. */
  readonly falseIsAnswer?: true;
  /** Done only where the answer says `success: true`; a 200 that says neither yes nor no proves nothing. */
  readonly confirms?: true;
  /** The interface promises no body: every 2xx that does not say no is a success. */
  readonly anyBody?: true;
  /** `{id}` names an instance: a 404 or 410 is believed only where its body names that instance, too. */
  readonly namesInstance?: true;
  readonly repeat: Repeat;
  /** Least seconds between two calls, as public services enforce it. */
  readonly gap: number;
  /** Longest the whole call may take, in seconds. */
  readonly within: number;
  /** No answer may be longer, in bytes as received; 8 MB where it says nothing. */
  readonly maxBytes?: number;
  /** False for an extra the interface document does not show: a server may lack it. */
  readonly shown: boolean;
  /** Section of the interface document, or why there is none. */
  readonly section: string;
}

/** Keeps the precise types of a row while checking its shape. */
export function endpoint<const R extends EndpointRow>(row: R): R {
  return row;
}

export type BodyOf<R extends EndpointRow> = R["body"] extends z.ZodType ? z.infer<R["body"]> : undefined;
export type ReplyOf<R extends EndpointRow> = z.infer<R["reply"]>;

/** The path with its `{id}` filled in. Only exact positive whole numbers pass, so no id can change the path. */
export function pathFor(row: EndpointRow, id: number | undefined): string {
  if (!row.path.includes("{id}")) return row.path;
  if (id === undefined || !Number.isSafeInteger(id) || id <= 0) throw new RangeError(`No valid id for ${row.path}`);
  return row.path.replace("{id}", String(id));
}
