// An object that a file holds: undefined where there is none that can be understood, and the disk's error where no one knows.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as z from "zod";
import { readObject, realDisk } from "../../../../../src/services/core/book/disk.ts";

const Schema = z.object({ version: z.literal(1), text: z.string() });
const fail = (code: string) => () => Promise.reject(Object.assign(new Error(code), { code }));
const readAs = (read: (path: string) => Promise<string>) => readObject({ ...realDisk, read }, "/nowhere", Schema);

test("a whole object is read", async () =>
  assert.deepEqual(await readAs(async () => '{"version":1,"text":"a"}'), { version: 1, text: "a" }));

for (const text of ["", "{", "null", "[]", '{"version":2,"text":"a"}', '{"version":1}', "\0\0"])
  test(`nothing is read from ${JSON.stringify(text)}`, async () =>
    assert.equal(await readAs(async () => text), undefined));

for (const code of ["ENOENT", "EISDIR"])
  test(`nothing is there for ${code}`, async () => assert.equal(await readAs(fail(code)), undefined));

for (const code of ["EIO", "EACCES", "EMFILE", "ENOTDIR"])
  test(`${code} is the disk's error`, async () => await assert.rejects(readAs(fail(code)), { code }));
