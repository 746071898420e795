// The fields of an endpoint table row, and the types derived from them.
import type * as z from "zod";

/** `safe` calls may be retried automatically; `once` calls spend or destroy and are sent at most once. */
type Repeat = "safe" | "once";

export interface EndpointRow {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /**
   * Relative to the base address, with the trailing slash exactly as in the interface; `{id}` stands for a whole
   * number.
   */
  readonly path: string;
  /** Shape of the query; all values are texts. */
  readonly query?: z.ZodType<Readonly<Record<string, string>>>;
  readonly body?: z.ZodType;
  /** The envelope of a successful response. Lists inside it are read row by row afterward. */
  readonly reply: z.ZodType;
  /** `success: false` in a 200 is a refusal, except at endpoints where it is part of a good response. */
  readonly falseIsAnswer?: true;
  /** Done only if the response says `success: true`. A 200 that says neither yes nor no proves nothing. */
  readonly confirms?: true;
  /** The interface promises no body: every 2xx that doesn't contain a refusal is a success. */
  readonly anyBody?: true;
  /** `{id}` names an instance: a 404 or 410 counts only if its body names that instance, too. */
  readonly namesInstance?: true;
  readonly repeat: Repeat;
  /** Minimum seconds between two calls, as public services enforce it. */
  readonly gap: number;
  /** Maximum duration of the whole call, in seconds. */
  readonly within: number;
  /** Maximum response size in bytes as received; default 8 MB. */
  readonly maxBytes?: number;
  /** False for an extra, which the interface doesn't define: a server may lack it. */
  readonly shown: boolean;
  /** Section of docs/interface.md, or why there is none. */
  readonly section: string;
}

/** Keeps the precise types of a row while checking its shape. */
export function defineEndpoint<const R extends EndpointRow>(row: R): R {
  return row;
}

export type BodyOf<R extends EndpointRow> = R["body"] extends z.ZodType ? z.infer<R["body"]> : undefined;
export type ReplyOf<R extends EndpointRow> = z.infer<R["reply"]>;

/** The path with its `{id}` filled in. Only exact positive whole numbers are accepted, so no ID can change the path. */
export function buildPath(row: EndpointRow, id: number | undefined): string {
  if (!row.path.includes("{id}")) return row.path;
  if (id === undefined || !Number.isSafeInteger(id) || id <= 0) throw new RangeError(`No valid id for ${row.path}`);
  return row.path.replace("{id}", String(id));
}
