// A table of a request's fields, transcribed from the interface document, turned into one test for every way to get a field wrong.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Answer, Json } from "./sandbox.ts";

export interface Field {
  readonly name: string;
  readonly required: boolean;
  readonly good: readonly unknown[];
  readonly wrong: readonly unknown[];
  /** What the refusal says; the field's name unless the document words it otherwise. */
  readonly says?: RegExp;
}

export interface Fields {
  /** Opens every title: the section of the document. */
  readonly section: string;
  /** A request that is accepted as it is. */
  readonly base: () => Json;
  readonly send: (body: Json) => Promise<Answer>;
  readonly fields: readonly Field[];
}

const shown = (value: unknown) => JSON.stringify(value).slice(0, 40);

/** Good, wrong, missing and null, for each field. */
export function testFields({ section, base, send, fields }: Fields): void {
  const refuses = async (field: Field, body: Json) => {
    const answer = await send(body);
    assert.equal(answer.status, 400, JSON.stringify(answer.body));
    assert.equal(answer.body.success, false);
    assert.equal(typeof answer.body.error, "string");
    assert.match(answer.body.msg as string, field.says ?? new RegExp(field.name));
  };
  const accepts = async (body: Json) => {
    const answer = await send(body);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
  };
  for (const field of fields) {
    for (const value of field.good)
      test(`${section} ${field.name}: ${shown(value)} is accepted`, () => accepts({ ...base(), [field.name]: value }));
    for (const value of field.wrong)
      test(`${section} ${field.name}: ${shown(value)} is refused`, () =>
        refuses(field, { ...base(), [field.name]: value }));
    const without = () => {
      const { [field.name]: _, ...rest } = base();
      return rest;
    };
    const judge = (body: Json) => (field.required ? refuses(field, body) : accepts(body));
    test(`${section} ${field.name}: missing is ${field.required ? "refused" : "accepted"}`, () => judge(without()));
    test(`${section} ${field.name}: null is ${field.required ? "refused" : "not given"}`, () =>
      judge({ ...base(), [field.name]: null }));
  }
}

/** The error body of section 7, whole. */
export function assertRefused(answer: Answer, status: number, msg: string | RegExp): void {
  assert.equal(answer.status, status, JSON.stringify(answer.body));
  assert.equal(answer.body.success, false);
  assert.equal(typeof answer.body.error, "string");
  if (typeof msg === "string") assert.equal(answer.body.msg, msg);
  else assert.match(answer.body.msg as string, msg);
}
