// What a handler of an endpoint is given and answers with; the types follow from the endpoint table.
import type * as z from "zod";
import type { EndpointName, endpoints } from "../../api/table/endpoints.ts";
import type { World } from "../world/world.ts";

type Row<Name extends EndpointName> = (typeof endpoints)[Name];

export interface Call<Name extends EndpointName> {
  readonly world: World;
  /** The `{id}` of the path: a positive integer. */
  readonly id: Row<Name>["path"] extends `${string}{id}${string}` ? number : undefined;
  readonly query: Readonly<Record<string, string>>;
  /** As it was sent; undefined where nothing was. */
  readonly body: unknown;
  /** `http://host:port` as the client wrote it, for addresses in answers. */
  readonly origin: string;
}

/** What the table says of an object; a field that may hold anything may also be missing. */
type Typed<Reply> = Reply extends readonly unknown[]
  ? Reply
  : { readonly [Field in keyof Reply as unknown extends Reply[Field] ? never : Field]: Reply[Field] } & Readonly<
      Record<string, unknown>
    >;
type Answer<Reply> = unknown extends Reply ? unknown : Typed<Reply>;

/** Answers with the body of a 200. @throws Refusal for everything else. */
export type Handler<Name extends EndpointName> = (call: Call<Name>) => Answer<z.input<Row<Name>["reply"]>>;

export type Handlers<Names extends EndpointName = EndpointName> = { readonly [Name in Names]: Handler<Name> };
