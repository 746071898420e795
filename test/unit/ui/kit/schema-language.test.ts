// Problems that a schema has no sentence for are told in the editor's language.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { readTemplateFile } from "../../../../src/domain/template/template-file.ts";
import { setSchemaLanguage } from "../../../../src/ui/kit/schema-language.ts";

after(() => setSchemaLanguage("en"));

const wrongTag = () => {
  const { problems } = readTemplateFile('{ "name": "a", "image": "b", "tag": 5 }');
  return problems.map(({ message }) => message).join(" ");
};

for (const [language, says] of [
  ["en", /tag: .*expected string/],
  ["de", /tag: .*erwartet string/],
  ["de-AT", /tag: .*erwartet string/],
  ["zh-cn", /tag: .*期望 string/],
  ["fr", /tag: .*expected string/],
] as const)
  test(language, () => {
    setSchemaLanguage(language);
    assert.match(wrongTag(), says);
  });
