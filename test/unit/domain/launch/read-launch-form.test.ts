// What a launch's form sends, and everything that keeps it from being sent.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { LaunchDraft } from "../../../../src/domain/launch/launch-draft.ts";
import {
  LAUNCH_FIELDS,
  type LaunchField,
  type LaunchForm,
  toBaseForm,
  toFormContext,
} from "../../../../src/domain/launch/launch-form.ts";
import {
  buildLaunchScript,
  type LaunchProblem,
  listOwnFields,
  readLaunchForm,
} from "../../../../src/domain/launch/read-launch-form.ts";
import { EXPORT_ENV, hasExport } from "../../../../src/domain/template/template-lint.ts";
import { draftOf, IMAGE_DRAFT } from "../../launch-forms.ts";
import { OFFER } from "../../support.ts";

type Changes = Partial<LaunchForm>;
const ENV = "-e HF_TOKEN=verysecret -e MODE=fast -p 8080:8080";
const TEMPLATE_DRAFT: LaunchDraft = {
  ...draftOf({ env: ENV, onstart: "printenv > /etc/environment" }),
  offer: OFFER,
};
const BID_DRAFT: LaunchDraft = { ...TEMPLATE_DRAFT, bid: 0.4, search: { ...TEMPLATE_DRAFT.search, type: "bid" } };
const DIGITS = "9".repeat(400);

interface Of {
  readonly draft?: LaunchDraft;
  readonly mustRun?: boolean;
}

type Refused = readonly [what: string, field: LaunchField, changes: Changes, message: RegExp, of?: Of];

function read(changes: Changes, { draft = TEMPLATE_DRAFT, mustRun = false }: Of = {}) {
  return readLaunchForm({ ...toBaseForm(draft), ...changes }, toFormContext(draft, mustRun));
}
const problemsOf = (changes: Changes, of?: Of, severity: LaunchProblem["severity"] = "error") =>
  read(changes, of).problems.filter((problem) => problem.severity === severity);
const LINKED = { volume: "link", volume_id: "5012", mount_path: "/data" } as const;
const CREATED = { ...LINKED, volume: "create", volume_size: "10" } as const;
const LOGIN = { login_registry: "ghcr.io", login_user: "me", login_token: "t0k" };
const variableOf = (bytes: number) => `-e LONG=${"x".repeat(bytes - "LONG=".length)}`;

describe("what is refused, at the field and for nothing else", () => {
  const refused: readonly Refused[] = [
    ["no image", "image", { image: " " }, /^Enter a name/, { draft: IMAGE_DRAFT }],
    ["no image over a template", "image", { image: "" }, /^Enter a name/],
    ["an image with a blank", "image", { image: "a b" }, /isn't a valid Docker image name/],
    ["a mode of a virtual machine", "vm", { vm: true, runtype: "args" }, /Choose an SSH mode/],
    ["a virtual machine with Jupyter", "vm", { vm: true, runtype: "jupyter_direct" }, /Choose an SSH mode/],
    ["a port mapped twice", "env", { env: "-p 8080:80 -p 8080:81" }, /8080 is mapped twice/],
    ["a port that the template maps", "env", { env: `${ENV} -p 8080:81` }, /8080 is mapped twice/],
    ["port 0", "env", { env: "-p 0:0" }, /from 1 to 65535/],
    ["port 65536", "env", { env: "-p 65536:80" }, /from 1 to 65535/],
    ["container port 65536", "env", { env: "-p 80:65536" }, /from 1 to 65535/],
    ["a range of ports", "env", { env: "-p 8000-8010:8000-8010" }, /Port ranges aren't supported/],
    ["one half of a port", "env", { env: "-p 8080" }, /host:container/],
    ["a name with a blank", "env", { env: "-e 'MY MODE=1'" }, /Variable names can contain only/],
    ["a name that begins with a digit", "env", { env: "-e 1MODE=1" }, /Variable names can contain only/],
    ["no name", "env", { env: "-e =1" }, /Enter a name for the variable/],
    ["a name of every object", "env", { env: "-e __proto__=1" }, /can't be used/],
    ["NUL in a value", "env", { env: "-e 'A=b\0'" }, /NUL/],
    ["a line break in a value", "env", { env: "-e 'A=b\nc'" }, /line breaks/],
    ["half an emoji in a value", "env", { env: "-e 'A=\ud83d'" }, /invalid character/],
    ["a variable of 131,072 bytes", "env", { env: variableOf(131_072) }, /LONG is too long/],
    ["as much in other letters", "env", { env: `-e LONG=${"ä".repeat(65_534)}` }, /LONG is too long/],
    ["an unknown flag", "env", { env: "--privileged" }, /isn't recognized/],
    ["an open quote in the flags", "env", { env: "-e 'A=b" }, /a quote isn't closed/],
    ["an open quote in arguments", "args_str", { runtype: "args", args_str: "--name 'my" }, /quote/],
    ["arguments with SSH", "args_str", { args_str: "serve" }, /starts its own entrypoint/],
    [
      "arguments with Jupyter",
      "args_str",
      { runtype: "jupyter_direct", args_str: "serve" },
      /starts its own entrypoint/,
    ],
    ["a token with a blank", "login_token", { ...LOGIN, login_token: "t k" }, /can't contain spaces or quotes/],
    ["a token with a blank at its end", "login_token", { ...LOGIN, login_token: "tk " }, /can't contain spaces/],
    ["a token with a quote", "login_token", { ...LOGIN, login_token: "t'k" }, /can't contain spaces or quotes/],
    ["a token with a double quote", "login_token", { ...LOGIN, login_token: 't"k' }, /can't contain spaces or quotes/],
    ["a token with a dash first", "login_token", { ...LOGIN, login_token: "-tk" }, /can't begin with a dash/],
    ["a user with a dash first", "login_user", { ...LOGIN, login_user: "-p" }, /can't begin with a dash/],
    ["a registry with a blank", "login_registry", { ...LOGIN, login_registry: "a b" }, /can't contain spaces/],
    ["a login without a registry", "login_registry", { ...LOGIN, login_registry: " " }, /needs a registry, a user/],
    ["a login without a user", "login_user", { ...LOGIN, login_user: "" }, /needs a registry, a user/],
    ["a login without a token", "login_token", { ...LOGIN, login_token: "" }, /needs a registry, a user/],
    ...["", "0", "-1", "+1", "1.5", "007", "abc", "5012 5013", "1e3", "0x10", DIGITS].map(
      (id): Refused => [`volume ID “${id}”`, "volume_id", { ...LINKED, volume_id: id }, /Enter the volume's ID/],
    ),
    ["an offer's ID of 0", "volume_id", { ...CREATED, volume_id: "0" }, /Enter the ID of a volume offer/],
    ...["", "0", "0.5", "0.99", "-1", "1e3", "1,5", "ten", DIGITS].map(
      (size): Refused => [`size “${size}”`, "volume_size", { ...CREATED, volume_size: size }, /at least 1 GB/],
    ),
    ...["", "data", "./data", "/", "//", "/.", "/..", "/../a", "/a/../b", "/a/..", "~/a"].map(
      (path): Refused => [`mount path “${path}”`, "mount_path", { ...LINKED, mount_path: path }, /absolute path below/],
    ),
    ["NUL in the script", "onstart", { onstart: "echo\0" }, /NUL/],
    ["half an emoji after the template's script", "onstart", { onstart: "\udc00", onstart_order: "after" }, /NUL or/],
    ...["\0", "\ud800"].flatMap((odd): readonly Refused[] => [
      ["an odd token", "login_token", { ...LOGIN, login_token: `t${odd}k` }, /NUL or/],
      ["an odd user", "login_user", { ...LOGIN, login_user: `me${odd}` }, /NUL or/],
      ["odd arguments", "args_str", { runtype: "args", args_str: `serve ${odd}` }, /NUL or/],
      ["an odd folder", "jupyter_dir", { runtype: "jupyter_direct", jupyter_dir: `/a${odd}` }, /NUL or/],
      ["an odd mount path", "mount_path", { ...LINKED, mount_path: `/a${odd}b` }, /NUL or|absolute path below/],
      ["an odd host name", "env", { env: `-h 'a${odd}'` }, /NUL/],
    ]),
    ["a label too long", "label", { label: "x".repeat(101) }, /too long/],
    ["a label of ours", "label", { label: "vsc-1" }, /reserved/],
    ["a label of two lines", "label", { label: "a\nb" }, /line break/],
    ["no disk", "disk", { disk: "" }, /isn't a number/],
    ["a disk below 8 GB", "disk", { disk: "7.9" }, /^At least 8 GB/],
    ["a disk above what is free", "disk", { disk: "101" }, /100 GB free/],
    ["a disk in words", "disk", { disk: "1e1" }, /isn't a number/],
    ["a bid below the least", "price", { price: "0.3" }, /below this machine's minimum/, { draft: BID_DRAFT }],
    ["a bid with four decimals", "price", { price: "0.4001" }, /three decimal places/, { draft: BID_DRAFT }],
    ["no bid", "price", { price: "" }, /isn't a number/, { draft: BID_DRAFT }],
    ["work on what is stopped", "target_state", { target_state: "stopped" }, /can't start later/, { mustRun: true }],
    ["work without SSH", "runtype", { runtype: "args" }, /over SSH\. Choose/, { mustRun: true }],
  ];
  for (const [what, field, changes, message, of] of refused)
    test(what, () => {
      const { choice } = read(changes, of);
      const errors = problemsOf(changes, of);
      assert.equal(choice, undefined);
      assert.deepEqual([...new Set(errors.map((error) => error.field))], [field]);
      assert.match(errors[0]?.message ?? "", message);
    });

  test("all of it at once, in the order of the form, and each row of the table by itself", () => {
    const changes: Changes = {
      ...{ image: "a b", env: "-p 0:0 -e A=1 -e 1=2", onstart: "\0", args_str: "'", disk: "1", label: "vsc-" },
      ...{ ...CREATED, volume_id: "x", volume_size: "0", mount_path: "a", login_token: "t" },
    };
    const errors = problemsOf(changes);
    const at = errors.map(({ field }) => LAUNCH_FIELDS.indexOf(field));
    assert.deepEqual(
      at,
      at.toSorted((one, other) => one - other),
    );
    assert.deepEqual(
      [...new Set(errors.map(({ field }) => field))],
      [
        ...(["image", "login_registry", "login_user", "env", "onstart", "args_str", "disk", "volume_id"] as const),
        ...(["volume_size", "mount_path", "label"] as const),
      ],
    );
    assert.deepEqual(
      errors.filter(({ field }) => field === "env").map(({ row }) => row),
      [0, 2],
    );
  });
});

describe("what is fine", () => {
  const fine: readonly [what: string, changes: Changes, sent: Readonly<Record<string, unknown>>, of?: Of][] = [
    ["a variable of 131,071 bytes", { env: `${ENV} ${variableOf(131_071)}` }, { env: { LONG: "x".repeat(131_066) } }],
    ["port 1 and 65535", { env: `${ENV} -p 1:65535` }, { env: { "-p 1:65535": "1" } }],
    ["a port for UDP", { env: `${ENV} -p 53:53/udp` }, { env: { "-p 53:53/udp": "1" } }],
    ["an identity port", { env: `${ENV} -p 70000:70000` }, { env: { "-p 70000:70000": "1" } }],
    ["a variable set twice: the last counts", { env: `${ENV} -e A=1 -e A=2` }, { env: { A: "2" } }],
    [
      "a path with two dots in a name",
      { ...LINKED, mount_path: "/a..b" },
      { volume_info: { create_new: false, volume_id: 5012, mount_path: "/a..b" } },
    ],
    [
      "blanks around a volume",
      { ...LINKED, volume_id: " 5012 ", mount_path: " /data " },
      { volume_info: { create_new: false, volume_id: 5012, mount_path: "/data" } },
    ],
    [
      "a linked volume has no size",
      { ...LINKED, volume_size: "bad" },
      { volume_info: { create_new: false, volume_id: 5012, mount_path: "/data" } },
    ],
    [
      "a new volume of 1 GB",
      { ...CREATED, volume_size: "1" },
      { volume_info: { create_new: true, volume_id: 5012, mount_path: "/data", size: 1 } },
    ],
    [
      "a volume that isn't chosen isn't read",
      { volume: "none", volume_id: "x", volume_size: "0", mount_path: "a" },
      {},
    ],
    [
      "a login, without the blanks around it",
      { ...LOGIN, login_registry: " ghcr.io " },
      { image_login: "-u me -p t0k ghcr.io" },
    ],
    ["a virtual machine with SSH", { vm: true }, { vm: true }],
    ["arguments for an entrypoint", { runtype: "args", args_str: "serve --x 'a b'" }, { args_str: "serve --x 'a b'" }],
    ["a virtual machine, whatever is to be done on it", { vm: true }, { vm: true }, { mustRun: true }],
    ["a bid isn't read on demand", { price: "lots" }, {}],
    [
      "Jupyter",
      { runtype: "jupyter_direct", use_jupyter_lab: true, jupyter_dir: "/work" },
      { use_jupyter_lab: true, jupyter_dir: "/work" },
    ],
    ["locales", { python_utf8: true, lang_utf8: true }, { python_utf8: true, lang_utf8: true }],
    ["stopped", { target_state: "stopped" }, { target_state: "stopped" }],
    ["waiting", { cancel_unavail: false }, { cancel_unavail: false }],
    ["a bid that doesn't wait", { cancel_unavail: true }, { cancel_unavail: true }, { draft: BID_DRAFT }],
  ];
  for (const [what, changes, sent, of] of fine)
    test(`${what} is sent, and nothing else`, () => {
      assert.deepEqual(problemsOf(changes, of), []);
      assert.deepEqual(read(changes, of).choice?.configuration, sent);
    });
});

describe("what the choice holds", () => {
  test("of a form without a change: nothing but the disk and the label that every request has", () => {
    assert.deepEqual(read({}).choice, {
      ...{ image: undefined, runtype: undefined, diskGb: 8, label: "", bid: undefined, configuration: {} },
    });
    assert.equal(read({}, { draft: BID_DRAFT }).choice?.bid, 0.4);
    assert.deepEqual(listOwnFields(toBaseForm(TEMPLATE_DRAFT), toBaseForm(TEMPLATE_DRAFT)), []);
  });

  test("of every field changed and reset: nothing again", () => {
    const changes: LaunchForm = {
      ...{ image: "c/d", ...LOGIN, runtype: "args", use_jupyter_lab: true, jupyter_dir: "/x", vm: true },
      ...{ python_utf8: true, lang_utf8: true, env: "-e A=1", onstart_order: "after", onstart: "echo" },
      ...{
        args_str: "x",
        disk: "9",
        ...CREATED,
        target_state: "stopped",
        cancel_unavail: false,
        price: "1",
        label: "l",
      },
    };
    const base = toBaseForm(TEMPLATE_DRAFT);
    assert.deepEqual(listOwnFields({ ...base, ...changes }, base), LAUNCH_FIELDS);
    const reset = Object.fromEntries(LAUNCH_FIELDS.map((field) => [field, base[field]]));
    assert.deepEqual(read({ ...changes, ...reset }).choice, read({}).choice);
  });

  test("an image alone sends its mode as well", () => {
    const { choice } = read({ image: " c/d:2 ", label: " mine ", disk: " 9 " }, { draft: IMAGE_DRAFT });
    assert.deepEqual(choice, {
      ...{ image: "c/d:2", runtype: "ssh_direct", diskGb: 9, label: "mine", bid: undefined, configuration: {} },
    });
    assert.equal(read({ image: "c/d", runtype: "args" }).choice?.runtype, "args");
    assert.equal(read({ image: "c/d" }).choice?.runtype, undefined);
  });
});

describe("a template's entries", () => {
  test("only what differs is sent", () => {
    assert.deepEqual(read({ env: ENV.replace("MODE=fast", "MODE=slow") }).choice?.configuration, {
      env: { MODE: "slow" },
    });
    assert.deepEqual(read({ env: `${ENV}  -e MODE='fast'` }).choice?.configuration, {});
  });

  test("stay if they are left out, and that is said", () => {
    const without = { env: "-e NEW=1" };
    assert.deepEqual(read(without).choice?.configuration, { env: { NEW: "1" } });
    assert.deepEqual(
      problemsOf(without, {}, "note").map(({ field, message }) => [field, message]),
      [["env", "The template's HF_TOKEN, MODE, -p 8080:8080 stays: a launch can change an entry, but not remove it."]],
    );
  });

  test("are its service's to read, however odd they are", () => {
    for (const env of [
      "--privileged -e A=1",
      "-p 8080:80 -p 8080:81",
      "-e 'MY MODE=1'",
      "-p 0:0",
      variableOf(200_000),
      "-e A=1 -e 'open",
    ]) {
      const of = { draft: draftOf({ env }) };
      assert.deepEqual(problemsOf({}, of), [], env.slice(0, 40));
      assert.deepEqual(read({}, of).choice?.configuration, {});
      const before = env.includes("'open") ? env.replace(" -e 'open", " -e NEW=1 -e 'open") : `${env} -e NEW=1`;
      assert.deepEqual(problemsOf({ env: before }, of), [], before.slice(0, 40));
      assert.deepEqual(read({ env: before }, of).choice?.configuration, { env: { NEW: "1" } });
    }
  });

  test("a login of the template is named, and used", () => {
    const of = { draft: draftOf({ docker_login_repo: "ghcr.io", docker_login_user: "me" }) };
    assert.deepEqual(
      problemsOf({}, of, "note").map(({ message }) => message),
      ["The template's login for ghcr.io is used."],
    );
    assert.deepEqual(read({}, of).choice?.configuration, {});
  });

  test("its arguments mean nothing to another mode, also if they are cleared", () => {
    const of = { draft: draftOf({ runtype: "args", args_str: "serve" }) };
    for (const args_str of ["serve", "", " "]) {
      const changes: Changes = { runtype: "ssh_direct", args_str };
      assert.deepEqual(problemsOf(changes, of), []);
      assert.deepEqual(read(changes, of).choice?.configuration, {});
    }
    assert.deepEqual(read({ args_str: "" }, of).choice?.configuration, { args_str: "" });
  });
});

describe("the start script", () => {
  const draft = draftOf({ onstart: "echo template" });
  const scripts: readonly [what: string, changes: Changes, sent: string | undefined][] = [
    ["nothing typed", {}, undefined],
    ["instead", { onstart: "echo own" }, "echo own"],
    ["instead, of nothing", { onstart: "" }, ""],
    ["after", { onstart: "echo own", onstart_order: "after" }, "echo template\necho own"],
    ["after, of nothing", { onstart: " \n", onstart_order: "after" }, undefined],
  ];
  for (const [what, changes, sent] of scripts)
    test(`${what}: what is sent`, () => {
      assert.deepEqual(read(changes, { draft }).choice?.configuration, sent === undefined ? {} : { onstart: sent });
    });

  test("a line ends before the next script begins, once", () => {
    const joined = (onstart: string, own: string) =>
      buildLaunchScript({ onstart: own, onstart_order: "after" }, { base: { onstart } });
    assert.equal(joined("a\n", "b"), "a\nb");
    assert.equal(joined("a\n\n", "b"), "a\n\nb");
    assert.equal(joined("", "b"), "b");
    assert.equal(joined("", ""), "");
  });

  test("of 4,048 characters is sent as it is; with one more, it says that it is compressed", () => {
    const said = (length: number) =>
      problemsOf({ onstart: "x".repeat(length) }, { draft }, "note").map(({ field }) => field);
    assert.deepEqual([said(4048), said(4049)], [[], ["onstart"]]);
    assert.equal(read({ onstart: "x".repeat(4049) }, { draft }).choice?.configuration.onstart?.length, 4049);
  });

  test("of the template isn't sent, and is its service's to read", () => {
    for (const onstart of ["x".repeat(5000), "echo\0"]) {
      const { choice, problems } = read({}, { draft: draftOf({ env: "", onstart }) });
      assert.deepEqual([choice?.configuration, problems], [{}, []]);
    }
  });

  test("in place of the template's, of nothing, is warned of", () => {
    const warned = (changes: Changes) => problemsOf(changes, { draft }, "warning").map(({ field }) => field);
    assert.ok(warned({ onstart: "" }).includes("onstart"));
    assert.ok(!warned({ onstart: "", onstart_order: "after" }).includes("onstart"));
  });
});

describe("variables that SSH sessions don't see", () => {
  const draft = draftOf({ env: "-e MODE=fast", onstart: "" });
  const warned = (changes: Changes) => problemsOf(changes, { draft }, "warning").filter(({ field }) => field === "env");

  test("are warned of, and the way out is a line in the script", () => {
    const [problem] = warned({ onstart: "echo" });
    assert.deepEqual(problem?.fix?.changes, { onstart: `${EXPORT_ENV}\necho` });
    assert.deepEqual(warned({ ...problem?.fix?.changes }), []);
    assert.deepEqual(warned({})[0]?.fix?.changes, { onstart: EXPORT_ENV });
  });

  test("not without variables, nor without SSH", () => {
    assert.deepEqual(warned({ runtype: "args" }), []);
    const bare = { draft: draftOf({ env: "-p 80:80", onstart: "" }) };
    assert.deepEqual(problemsOf({}, bare, "warning"), []);
  });

  test("whether a script exports them", () => {
    for (const script of ["env >> /etc/environment", "printenv > x", "export -p > x"]) assert.ok(hasExport(script));
    for (const script of ["", "export A=1", "sprintenv2"]) assert.ok(!hasExport(script));
  });
});

describe("what is only said", () => {
  const said: readonly [what: string, severity: "warning" | "note", field: LaunchField, changes: Changes][] = [
    ["a directory without Jupyter", "warning", "jupyter_dir", { jupyter_dir: "/x" }],
    ["JupyterLab without Jupyter", "warning", "use_jupyter_lab", { use_jupyter_lab: true }],
    ["stopped", "note", "target_state", { target_state: "stopped" }],
    ["waiting", "note", "cancel_unavail", { cancel_unavail: false }],
  ];
  for (const [what, severity, field, changes] of said)
    test(what, () => {
      assert.deepEqual(
        problemsOf(changes, {}, severity).map((problem) => problem.field),
        [field],
      );
      assert.deepEqual(problemsOf({}, {}, severity), []);
      assert.ok(read(changes).choice);
    });

  test("what is stopped waits for nothing", () =>
    assert.deepEqual(
      problemsOf({ target_state: "stopped", cancel_unavail: false }, {}, "note").map(({ field }) => field),
      ["target_state"],
    ));

  test("each way out leads out", () => {
    for (const changes of [{ args_str: "serve" }, { vm: true, runtype: "args" }] as const) {
      const [problem] = problemsOf(changes);
      assert.ok(problem?.fix);
      assert.deepEqual(problemsOf({ ...changes, ...problem.fix.changes }), []);
    }
  });
});
