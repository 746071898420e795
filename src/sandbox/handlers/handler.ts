// The input and output of an endpoint's handler. The types are derived from the table of routes.
import type * as z from "zod";
import type { RouteName, routes } from "../base/routes.ts";
import type { World } from "../world/world.ts";

type Row<Name extends RouteName> = (typeof routes)[Name];

export interface Call<Name extends RouteName> {
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
type Handler<Name extends RouteName> = (call: Call<Name>) => Answer<z.input<Row<Name>["reply"]>>;

export type Handlers<Names extends RouteName = RouteName> = { readonly [Name in Names]: Handler<Name> };
