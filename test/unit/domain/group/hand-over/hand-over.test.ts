// The files that are handed over, character by character where a program reads them.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { InstanceId } from "../../../../../src/domain/base/id.ts";
import { type HandOver, readOverlayAddress } from "../../../../../src/domain/group/hand-over/group-host.ts";
import { writeHandOver } from "../../../../../src/domain/group/hand-over/hand-over.ts";

const GIVEN: HandOver = {
  id: "grp-aaaaaaaaaaaaaaaa",
  name: "sweep-7",
  wanted: 2,
  sshConfig: "/home/you/.ssh/cloud-gpu/config",
  identity: undefined,
  isVm: false,
  at: Date.UTC(2026, 0, 2, 3, 4, 5),
  hosts: [
    {
      ...{ rank: 0, id: InstanceId.parse(31_244), alias: "cloud-gpu-31244", host: "203.0.113.7", port: 41_000 },
      ...{ overlayIp: undefined, gpus: 2, gpu: "RTX 4090", pricePerHour: 0.5, end: undefined },
    },
    {
      ...{ rank: 1, id: InstanceId.parse(31_245), alias: "cloud-gpu-31245", host: "ssh4.example.com", port: 22 },
      ...{ overlayIp: undefined, gpus: undefined, gpu: undefined, pricePerHour: undefined, end: Date.UTC(2026, 0, 3) },
    },
  ],
};

const textOf = (name: string, given = GIVEN): string => {
  const file = writeHandOver(given).find((one) => one.name === name);
  assert.ok(file && "text" in file, name);
  return file.text;
};
const HEAD = `# Group sweep-7, written by Cloud GPU.
# Addresses change when a machine restarts: update the files with Export Group Files…
# What you change here is asked about before it is replaced.
`;

describe("a group that is handed over", () => {
  test("has a list of hosts as data", () => {
    const { written_at, group, group_id, hosts } = JSON.parse(textOf("hosts.json"));
    assert.deepEqual([written_at, group, group_id], ["2026-01-02T03:04:05.000Z", "sweep-7", GIVEN.id]);
    assert.deepEqual(hosts[0], {
      ...{ rank: 0, id: 31_244, alias: "cloud-gpu-31244", host: "203.0.113.7", port: 41_000, user: "root" },
      ...{ overlay_ip: null, gpus: 2, gpu: "RTX 4090", price_per_hour: 0.5, auto_stop_at: null },
    });
    assert.equal(hosts[1].auto_stop_at, "2026-01-03T00:00:00.000Z");
  });

  test("has names for ssh, Ansible and GNU parallel", () => {
    assert.equal(textOf("hosts.txt"), `${HEAD}cloud-gpu-31244\ncloud-gpu-31245\n`);
    assert.equal(
      textOf("inventory.yml"),
      `${HEAD}# An image without Python takes the modules raw and script only.
all:
  children:
    sweep_7:
      hosts:
        cloud-gpu-31244: { node_rank: 0, gpus: 2 }
        cloud-gpu-31245: { node_rank: 1 }
      vars:
        ansible_ssh_common_args: "-F /home/you/.ssh/cloud-gpu/config"
        ansible_python_interpreter: auto_silent
`,
    );
    assert.equal(
      textOf("parallel.slf"),
      `${HEAD}2/ssh -F /home/you/.ssh/cloud-gpu/config cloud-gpu-31244
1/ssh -F /home/you/.ssh/cloud-gpu/config cloud-gpu-31245
`,
    );
  });

  test("has a name in the inventory that means nothing else there", () => {
    for (const name of ["all", "ungrouped", "no", "on", "null", "true", "y"])
      assert.match(textOf("inventory.yml", { ...GIVEN, name }), new RegExp(`^    group_${name}:$`, "m"));
    for (const name of ["all-2", "note", "yes-sir"])
      assert.match(textOf("inventory.yml", { ...GIVEN, name }), new RegExp(`^    ${name.replace("-", "_")}:$`, "m"));
  });

  for (const [what, odd] of Object.entries({
    "an address that begins with a colon": { host: "::1234" },
    "an IPv4 address in IPv6": { host: "::ffff:8.8.8.8" },
    "the longest name": { host: `${"a".repeat(60)}.`.repeat(4) },
    "fewer GPUs than none": { gpus: -3 },
    "more GPUs than there are": { gpus: 9e15 },
    "half a GPU": { gpus: 0.5 },
    "an end that no calendar has": { end: 9e15 },
    "an end that is no number": { end: Number.NaN },
    "a price that is none": { pricePerHour: Number.POSITIVE_INFINITY },
    "a price below nothing": { pricePerHour: -1 },
  }))
    test(`is handed over although a member has ${what}`, () => {
      const [first, second] = GIVEN.hosts;
      assert.ok(first && second);
      const given = { ...GIVEN, isVm: true, identity: "/home/you/.ssh/id", hosts: [{ ...first, ...odd }, second] };
      for (const file of writeHandOver(given))
        if ("text" in file) assert.doesNotMatch(file.text, /[=: ]-\d|9e15|9000000000000000|NaN|Infinity/, file.name);
      const [written, other] = JSON.parse(textOf("hosts.json", given)).hosts;
      assert.equal(other.alias, "cloud-gpu-31245");
      if ("host" in odd) assert.equal(written.host, odd.host);
      else assert.equal(written.host, first.host);
      for (const [name, key] of [
        ["gpus", "gpus"],
        ["end", "auto_stop_at"],
        ["pricePerHour", "price_per_hour"],
      ] as const)
        if (name in odd) assert.equal(written[key], null);
    });

  test("says why an engine can't be used", () => {
    const why = Object.fromEntries(
      writeHandOver(GIVEN).flatMap((file) => ("why" in file ? [[file.name, file.why]] : [])),
    );
    assert.deepEqual(Object.keys(why), ["torchrun.sh", "ray.sh", "ssh_node_pools.yaml", "fleet.dstack.yml"]);
    assert.match(why["ray.sh"] ?? "", /in the same overlay network/);
    assert.match(why["fleet.dstack.yml"] ?? "", /Requires virtual machines/);
  });

  test("has files for virtual machines", () => {
    const vm = { ...GIVEN, isVm: true, identity: "/home/you/.ssh/id ed25519" };
    assert.equal(
      textOf("ssh_node_pools.yaml", vm),
      `${HEAD}# Add this to ~/.sky/ssh_node_pools.yaml. The names are those of your SSH configuration.
"sweep-7":
  user: root
  identity_file: "/home/you/.ssh/id ed25519"
  hosts:
    - cloud-gpu-31244
    - cloud-gpu-31245
`,
    );
    assert.match(textOf("fleet.dstack.yml", vm), /- hostname: "ssh4\.example\.com"\n {6}port: 22\n$/);
  });

  test("needs the address of every member for engines that talk to each other", () => {
    const [first, second] = GIVEN.hosts;
    assert.ok(first && second);
    const hosts = [
      { ...first, overlayIp: "10.0.0.2" },
      { ...second, overlayIp: "10.0.0.3" },
    ];
    assert.match(textOf("torchrun.sh", { ...GIVEN, hosts }), /^addresses=\(10\.0\.0\.2 10\.0\.0\.3\)$/m);
    const partly = writeHandOver({ ...GIVEN, hosts, wanted: 3 }).find(({ name }) => name === "torchrun.sh");
    assert.ok(partly && "why" in partly, "one of three is missing");
  });

  test("holds what the service says as data and nowhere else", () => {
    const [first] = GIVEN.hosts;
    assert.ok(first);
    const hostile = `"; touch /tmp/x; #\n\u202e$(id)\`id\``;
    const files = writeHandOver({ ...GIVEN, isVm: true, hosts: [{ ...first, gpu: hostile }] });
    for (const file of files) {
      const text = "text" in file ? file.text : file.why;
      if (file.name === "hosts.json") assert.equal(JSON.parse(text).hosts[0].gpu, hostile);
      else assert.doesNotMatch(text, /touch|\$\(id\)/, file.name);
    }
    for (const bad of [
      { host: "a b" },
      { host: "-oProxyCommand=x" },
      { host: "a;b" },
      { alias: "x" },
      { alias: "cloud-gpu-1\nHost *" },
      { overlayIp: "8.8.8.8" },
    ])
      assert.throws(() => writeHandOver({ ...GIVEN, hosts: [{ ...first, ...bad }] }), RangeError, JSON.stringify(bad));
  });
});

describe("the address in an overlay network", () => {
  const says = (text: string) => `2: eth0    inet ${text} brd 10.0.0.255 scope global eth0`;
  for (const [said, address] of [
    [says("10.0.0.2/24"), "10.0.0.2"],
    [says("172.31.0.9/16"), "172.31.0.9"],
    [says("192.168.4.5/24"), "192.168.4.5"],
    [says("8.8.8.8/24"), undefined],
    [says("172.32.0.1/16"), undefined],
    [says("10.0.0.999/24"), undefined],
    ["", undefined],
    ["inet $(id)/24", undefined],
  ] as const)
    test(`is ${address ?? "unknown"} in “${said.slice(8, 32)}”`, () => assert.equal(readOverlayAddress(said), address));
});

/** What bash 3.2 and the tools of macOS and BSD don't have, by what stands in for each in a script. */
const TOO_NEW: readonly (readonly [shape: RegExp, examples: readonly string[]])[] = [
  [/\bwait\s+-[a-z]*[nfp]/, ["wait -n", 'wait -fn "$pid"', "wait -p which -n"]],
  [
    /\b(?:declare|local|typeset|readonly)\s+-[a-zA-Z]*[Agnul]/,
    ["declare -A map", "local -n ref=$1", "typeset -gr x=1"],
  ],
  [/\$\{!?\w+(?:\[[^\]]*\])?[\^,]/, [`\${x^^}`, `\${x,,}`, `\${hosts[0]^}`, `\${list[@],}`]],
  [/\$\{\w+(?:\[[^\]]*\])?@[a-zA-Z]\}/, [`\${x@Q}`, `\${list[@]@K}`]],
  [/\$\{\w+\[-\d|\$\{\w+:[^}]*:\s*-/, [`\${list[-1]}`, `\${x:0:-1}`]],
  [/\b(?:mapfile|readarray|coproc)\b/, ["mapfile -t lines < x", "readarray a", "coproc cat"]],
  [/\|&|&>>|;;?&(?=\s)|\{\w+\}[<>]/, ["make |& tee log", "echo a &>> log", ";;& ", ";& ", "exec {fd}> log"]],
  [/\$\{?(?:EPOCH(?:REALTIME|SECONDS)|BASHPID|BASH_XTRACEFD|SRANDOM|BASH_ARGV0)\b/, ["$EPOCHSECONDS", "$BASHPID"]],
  [/\bprintf\b[^\n|;]*%\(/, ["printf '%(%F)T' -1"]],
  [/\bshopt\s+-\w\s+(?:globstar|lastpipe|inherit_errexit|autocd)/, ["shopt -s globstar", "shopt -s lastpipe"]],
  [/\[\[?\s+-[vR]\s|\btest\s+-[vR]\s/, ["[[ -v name ]]", "[ -R ref ]", "test -v x"]],
  [/\bread\s[^|;\n]*-(?:\w*[iN]\b|t\s*\d*\.\d)/, ["read -N 1 key", "read -r -t 0.5 line"]],
  [/\{\d+\.\.\d+\.\.\d+\}|\{0\d+\.\.\d+\}/, ["{1..10..2}", "{01..10}"]],
  [/\bsed\s+(?:-\S+\s+)*(?:-\w*[ru]\w*|-i|--\w+)(?=\s)/, ["sed -i s/a/b/ x", "sed -r s/a/b/", "sed -u s/a/b/"]],
  [/\bgrep\s+(?:-\S+\s+)*-\w*P/, ["grep -P x", "grep -oP x", "grep -o -P x"]],
  [
    /\breadlink\s+-\w*[fem]|\brealpath\s+-|\btac\b|\$\(nproc\b|\bsetsid\b|\btimeout\s/,
    ["readlink -f x", "realpath -m x", "timeout 5 x"],
  ],
  [/\bdate\s+(?:-\w*[dI]|--)|\bdate\b[^\n;|]*%N/, ["date -d now", "date --iso-8601", "date +%s%N", "date -Is"]],
  [/\bxargs\s+(?:-\S+\s+)*(?:-\w*[rd]\b|--)/, ["xargs -r rm", "xargs -0r rm", "xargs -d x"]],
  [/\bstat\s+(?:-\w*c|--)/, ["stat -c %s x", "stat --format=%s x"]],
  [
    /(?<![-.\w])(?:mktemp|cp|mv|ls|sort|head|tail|du|ln|rm|mkdir|tr|wc)\s+(?:-\S+\s+)*--\w/,
    ["mktemp --tmpdir x", "cp --parents a b", "ls -l --color"],
  ],
  [
    /\bcp\s+-\w*[tT]\b|\bhead\s+(?:-n\s*|-c\s*)-\d|\bfind\b[^\n;|]*-(?:printf|regextype)/,
    ["cp -t dir a", "head -n -1 x", "find . -printf x"],
  ],
  [/\b(?:base64\s+-w|seq\s+-f|sort\s+-\w*V|ps\s+--)/, ["base64 -w0 x", "sort -V", "ps --ppid 1"]],
];

describe("a script that runs on the person's computer", () => {
  const scripts = writeHandOver({
    ...{ ...GIVEN, isVm: true, sshConfig: "/Users/you/it's/.ssh/cloud-gpu/config" },
    hosts: GIVEN.hosts.map((host, at) => ({ ...host, overlayIp: `10.0.0.${2 + at}` })),
  }).flatMap((file) => ("text" in file && /^#!/.test(file.text) ? [file] : []));
  /** Commands that machines run are Linux's; a comment may name anything. */
  const withoutComments = (text: string) => text.replaceAll(/^\s*#.*$/gm, "");

  test("is one of those that are known", () => {
    assert.deepEqual(
      scripts.map(({ name }) => name),
      ["torchrun.sh", "ray.sh"],
    );
    for (const { isProgram } of scripts) assert.equal(isProgram, true);
  });

  for (const [shape, examples] of TOO_NEW)
    test(`has nothing like ${examples[0]}`, () => {
      for (const example of examples) assert.match(`${example} `, shape);
      for (const { name, text } of scripts) assert.doesNotMatch(withoutComments(text), shape, name);
    });

  test("takes no array apart that may be empty, which bash 3.2 has for a variable that isn't set", () => {
    for (const { name, text } of scripts)
      for (const [, array = ""] of text.matchAll(/^(\w+)=\(\)$/gm))
        for (const [use] of text.matchAll(new RegExp(String.raw`.{0,9}"\$\{${array}\[@\]\}"`, "g")))
          assert.ok(use.includes(`{${array}[@]+"`) || use.includes(`[@]+"`), `${name}: ${use}`);
  });
});
