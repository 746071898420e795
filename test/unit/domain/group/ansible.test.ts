// What is given to Ansible is a command, and never a template of someone else's.
import assert from "node:assert/strict";
import { test } from "node:test";
import { assertNoTemplate, buildAnsibleCommand } from "../../../../src/domain/group/ansible.ts";
import { writeInventory } from "../../../../src/domain/group/hand-over/host-files.ts";
import { splitWords } from "../../../../src/lib/shell-words.ts";

test("a command runs in the folder of each instance, quoted for the shell here", () => {
  assert.deepEqual(splitWords(buildAnsibleCommand("bash 'a b.sh'")), [
    ...["ansible", "all", "-m", "raw", "-a"],
    "cd {{ cloud_gpu_folder }} && bash 'a b.sh'",
  ]);
});

test("a name that Ansible would evaluate is refused", () => {
  for (const name of ['python3 -u \'{{ lookup("pipe", "id") }}.py\'', "{% raw %}", "a}b"]) {
    assert.throws(() => buildAnsibleCommand(name), /treats braces .* as templates\. Rename the file or folder/);
    assert.throws(() => assertNoTemplate(name));
  }
  assert.doesNotThrow(() => assertNoTemplate("/workspace/fine-tune"));
});

test("the inventory has the folder as one word for a shell", () => {
  const host = {
    ...{ rank: 0, id: 1 as never, alias: "cloud-gpu-1", host: "203.0.113.7", port: 22, overlayIp: undefined, gpus: 1 },
    ...{ gpu: undefined, pricePerHour: undefined, end: undefined, folder: "/workspace/it's mine" },
  };
  const file = writeInventory({
    ...{ id: "grp-aaaaaaaaaaaaaaaa", name: "a", hosts: [host], wanted: 1, sshConfig: "/c" },
    ...{ identity: undefined, isVm: false, at: 0 },
  });
  assert.ok("text" in file);
  const [, value = ""] = /cloud_gpu_folder: (".*") \}/.exec(file.text) ?? [];
  assert.deepEqual(splitWords(JSON.parse(value)), ["/workspace/it's mine"]);
});
