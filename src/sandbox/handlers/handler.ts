// The input and output of an endpoint's handler. The types are derived from the endpoint table.
import type * as z from "zod";
import type { EndpointName, endpoints } from "../../api/table/endpoints.ts";
import type { World } from "../world/world.ts";

type Row<Name extends EndpointName> = (typeof endpoints)[Name];

export interface Call<Name extends EndpointName> {
  readonly world: World;
  /** The `{id}` in the path: a positive integer. */
  readonly id: Row<Name>["path"] extends `${string}{id}${string}` ? number : undefined;
  readonly query: Readonly<Record<string, string>>;
  /** The body as sent; undefined if there was none. */
  readonly body: unknown;
  /** `http://host:port` as the client wrote it, for addresses in responses. */
  readonly origin: string;
}

/** The table's type of an object. A field that may hold anything may also be missing. */
type Typed<Reply> = Reply extends readonly unknown[]
  ? Reply
  : { readonly [Field in keyof Reply as unknown extends Reply[Field] ? never : Field]: Reply[Field] } & Readonly<
      Record<string, unknown>
    >;
type Answer<Reply> = unknown extends Reply ? unknown : Typed<Reply>;

/** Returns the body of a 200. @throws Refusal for anything else. */
export type Handler<Name extends EndpointName> = (call: Call<Name>) => Answer<z.input<Row<Name>["reply"]>>;

export type Handlers<Names extends EndpointName = EndpointName> = { readonly [Name in Names]: Handler<Name> };
