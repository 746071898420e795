// The notebook servers and public ports of the sandbox's machines, over plain HTTP and through the real `ssh`.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer, request } from "node:http";
import { type AddressInfo, connect, createServer } from "node:net";
import { networkInterfaces } from "node:os";
import { after, before, describe, test } from "node:test";
import { formatNotebookToken } from "../../../src/sandbox/world/keys.ts";
import { freePort } from "../../free-port.ts";
import { Bench, type Json } from "../support/sandbox.ts";
import { findRunning, hasSshPrograms, isListening, SshPrograms, until } from "../support/ssh.ts";

/** Simulated seconds after which whatever was asked for has come about. */
const AWHILE = 200;
const limits = { timeout: 60_000 };
const skip = !hasSshPrograms || process.platform === "win32" ? "needs the OpenSSH programs and a POSIX shell" : false;
const linuxOnly = process.platform === "linux" ? false : "only Linux tells whose a port is";

interface Said {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
}

interface Asking {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends a path as it stands, which `fetch` would tidy up first. */
function get(port: number, path: string, { method = "GET", headers = {} }: Asking = {}): Promise<Said> {
  return new Promise((resolve, reject) => {
    const asked = request({ host: "127.0.0.1", port, path, method, headers, agent: false }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part: string) => {
        text += part;
      });
      response.once("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
    });
    asked.once("error", reject).end();
  });
}

/** What someone at this port says before the connection ends. */
function hear(port: number): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    const socket = connect({ host: "127.0.0.1", port });
    socket.setEncoding("utf8").on("data", (part: string) => {
      text += part;
    });
    socket.on("error", () => undefined).once("close", () => resolve(text));
  });
}

const portOf = (record: Json, name: string) => {
  const [first, ...more] = (record.ports as Record<string, Json[]>)[name] ?? [];
  assert.deepEqual([first?.HostIp, more], ["127.0.0.1", []], `${name} of ${JSON.stringify(record.ports)}`);
  return Number(first?.HostPort);
};
const tokenOf = (record: Json) => String(record.jupyter_token);

describe("the ports of a machine", { skip, timeout: 300_000 }, () => {
  let bench: Bench;
  let programs: SshPrograms;
  let main: Json;
  let notebook: number;
  let home: string;

  const rent = async (body: Json = {}, at = bench): Promise<Json> => {
    const { id } = await at.created({ image: "a/b", disk: 10, runtype: "jupyter_direct", ...body });
    at.clock.advance(AWHILE);
    const record = await at.instance(id);
    assert.equal(record.actual_status, "running");
    return record;
  };

  const change = async ({ id }: Json, state: string) => {
    await bench.ask("PUT", `/api/v0/instances/${id}/`, { body: { state } });
    bench.clock.advance(AWHILE);
    return bench.instance(id);
  };

  const login = (record: Json, command: readonly string[], more: readonly string[] = []) => {
    const port = String(portOf(record, "22/tcp"));
    return programs.run("ssh", [...more, ...programs.options("mine"), "-p", port, "root@127.0.0.1", ...command], "");
  };

  const say = async (record: Json, command: string) => {
    const { code, out, err } = await login(record, [command]).ended;
    assert.equal(code, 0, err);
    return out.toString().trim();
  };

  /** Runs `use` with a port of this computer that leads through the machine. */
  const through = async <T>(record: Json, to: string, use: (local: number) => Promise<T>): Promise<T> => {
    const local = await freePort();
    const tunnel = login(record, [], ["-N", "-L", `127.0.0.1:${local}:${to}`]);
    await until("the tunnel listens", () => isListening(local));
    try {
      return await use(local);
    } finally {
      tunnel.child.kill();
      await tunnel.ended;
    }
  };

  /** Starts a program on the machine that says a word to whoever connects, and waits until it listens. */
  const serve = async (record: Json, port: number, word: string, host = "127.0.0.1") => {
    const script = `require("net").createServer((s) => s.end("${word}")).listen(${port}, "${host}", () => console.log("on"))`;
    const running = login(record, [`'${process.execPath}' -e '${script}'`]);
    await until("it listens", () => running.out().includes("on"));
    return running;
  };

  before(async () => {
    programs = new SshPrograms();
    programs.createKey("mine");
    bench = await Bench.start({ ssh: true });
    const body = { ssh_key: readFileSync(programs.path("mine.pub"), "utf8") };
    assert.equal((await bench.ask("POST", "/api/v0/ssh/", { body })).status, 200);
    main = await rent();
    notebook = portOf(main, "8080/tcp");
    home = await say(main, "pwd");
  });

  after(async () => {
    await bench.sandbox.stop();
    programs.dispose();
  });

  test("the record says where the notebook server is, and what opens it", limits, async () => {
    assert.equal(main.public_ipaddr, "127.0.0.1");
    assert.match(tokenOf(main), /^[0-9a-f]{64}$/);
    assert.notEqual(portOf(main, "22/tcp"), notebook);
    for (const path of ["/api/status", "/api/kernels", "/api/sessions", "/api/kernelspecs", "/api/contents"]) {
      const { status, headers, text } = await get(notebook, `${path}?token=${tokenOf(main)}`);
      assert.deepEqual([path, status, headers["content-type"]], [path, 200, "application/json"]);
      assert.ok(JSON.parse(text));
    }
    const { kernelspecs, ...rest } = JSON.parse((await get(notebook, `/api/kernelspecs?token=${tokenOf(main)}`)).text);
    assert.equal(kernelspecs[rest.default].spec.language, "python");
  });

  test("only its token opens it, and only its version is told without", limits, async () => {
    const other = await rent();
    assert.notEqual(tokenOf(other), tokenOf(main));
    assert.match(JSON.parse((await get(notebook, "/api")).text).version, /^\d+\.\d+\.\d+$/);
    const status = async (path: string, authorization?: string) =>
      (await get(notebook, path, authorization === undefined ? {} : { headers: { authorization } })).status;
    for (const path of ["/", "/api/status", "/api/contents", "/lab", "/tree", "/no-such-thing"])
      assert.equal(await status(path), 403, path);
    for (const wrong of ["", tokenOf(other), tokenOf(main).slice(1), `${tokenOf(main)}0`, tokenOf(main).toUpperCase()])
      assert.deepEqual(
        [await status(`/lab?token=${wrong}`), await status("/lab", `token ${wrong}`)],
        [403, 403],
        wrong,
      );
    for (const scheme of ["token", "Token", "Bearer"])
      assert.equal(await status("/api/status", `${scheme} ${tokenOf(main)}`), 200);
    assert.equal(await status("/api/status", `Basic ${tokenOf(main)}`), 403);
    assert.equal(await status(`/no-such-thing?token=${tokenOf(main)}`), 404);
    assert.equal(await status(`/api/kernels/1?token=${tokenOf(main)}`), 404);
  });

  test("nothing can be started or changed", limits, async () => {
    for (const [method, path] of [
      ["POST", "/api/kernels"],
      ["POST", "/api/contents"],
      ["PUT", "/api/contents/x.txt"],
      ["DELETE", "/api/contents/x.txt"],
    ] as const) {
      const answer = await get(notebook, `${path}?token=${tokenOf(main)}`, { method });
      assert.deepEqual([answer.status, JSON.parse(answer.text).reason], [405, null], `${method} ${path}`);
      assert.equal((await get(notebook, path, { method })).status, 403);
    }
    const head = await get(notebook, `/lab?token=${tokenOf(main)}`, { method: "HEAD" });
    assert.deepEqual([head.status, head.text], [200, ""]);
  });

  test("is asked for by a name of this computer, or says nothing", limits, async () => {
    const status = async (host: string, path = `/lab?token=${tokenOf(main)}`) =>
      (await get(notebook, path, { headers: { host } })).status;
    for (const host of ["localhost", "LOCALHOST:8888", "127.0.0.1", `127.0.0.1:${notebook}`, "[::1]:9"])
      assert.equal(await status(host), 200, host);
    for (const host of [
      "gpu.example.com",
      `gpu.example.com:${notebook}`,
      "localhost.example.com",
      "127.0.0.1.example.com",
      "10.0.0.7",
      "localhost:8888:1",
      "user@localhost",
    ])
      assert.deepEqual([await status(host), await status(host, "/api")], [403, 403], host);
  });

  test("the page says what it is and shows names as they are, without a script", limits, async () => {
    await say(
      main,
      `mkdir -p models/deep && touch models/deep/inner.bin 'train.ipynb' '<script>alert(1)<' && touch "$(printf 'a\\342\\200\\256b')"`,
    );
    const { status, headers, text } = await get(notebook, `/lab?token=${tokenOf(main)}`);
    assert.deepEqual([status, headers["content-type"]], [200, "text/html; charset=utf-8"]);
    assert.match(String(headers["content-security-policy"]), /^default-src 'none'; style-src 'unsafe-inline'/);
    assert.deepEqual([headers["referrer-policy"], headers["cache-control"]], ["no-referrer", "no-store"]);
    assert.match(text, new RegExp(`<h1>Instance ${main.id}</h1>`));
    assert.match(text, /notebook server of a machine in the sandbox/);
    assert.match(text, /<li>models\/<\/li>\n<li>train\.ipynb<\/li>/);
    assert.match(text, /<li>&lt;script&gt;alert\(1\)&lt;<\/li>/);
    assert.match(text, /<li>ab<\/li>/);
    assert.ok(!/<script|\u202e|\.profile|\.bashrc/.test(text) && !text.includes(tokenOf(main)));
    for (const path of ["/tree/models", "/lab/tree/models", "/lab/tree/models/"])
      assert.match((await get(notebook, `${path}?token=${tokenOf(main)}`)).text, /<h2>models<\/h2>[\s\S]*deep\//, path);
    const { status: moved, headers: to } = await get(notebook, `/?token=${tokenOf(main)}`);
    assert.deepEqual([moved, to.location], [302, `/lab?token=${tokenOf(main)}`]);
  });

  test("lists the machine's own folder: no hidden file, no link, nothing outside, and no content", limits, async () => {
    mkdirSync(`${home}/data/more`, { recursive: true });
    writeFileSync(`${home}/data/a.txt`, "canary");
    writeFileSync(`${home}/data/b.ipynb`, "{}");
    writeFileSync(`${home}/data/100% ü.txt`, "");
    symlinkSync("/etc", `${home}/data/etc`);
    symlinkSync("a.txt", `${home}/data/alias`);
    const ask = (path: string) => get(notebook, `${path}?token=${tokenOf(main)}`);
    const folder = JSON.parse((await ask("/api/contents/data")).text);
    assert.deepEqual([folder.type, folder.path, folder.writable, folder.format], ["directory", "data", false, "json"]);
    assert.deepEqual(
      folder.content.map(({ name, path, type, size, content }: Json) => [name, path, type, size, content]),
      [
        ["100% ü.txt", "data/100% ü.txt", "file", 0, null],
        ["a.txt", "data/a.txt", "file", 6, null],
        ["b.ipynb", "data/b.ipynb", "notebook", 2, null],
        ["more", "data/more", "directory", null, null],
      ],
    );
    const file = await ask("/api/contents/data/a.txt");
    assert.deepEqual([JSON.parse(file.text).type, JSON.parse(file.text).content], ["file", null]);
    assert.equal((await ask(`/api/contents/data/${encodeURIComponent("100% ü.txt")}`)).status, 200);
    for (const path of [
      "..",
      "../",
      "data/..",
      "%2e%2e",
      "%2e%2e%2f%2e%2e%2fetc",
      "data%2f..%2f..",
      "data/%2e%2e/%2e%2e/etc",
      "%5c..",
      "%00",
      "%",
      "data/etc",
      "data/etc/hostname",
      "data/alias",
      "data/a.txt/x",
      ".profile",
      ".local/bin",
      "no-such-file",
      "x".repeat(5000),
    ])
      for (const place of ["/api/contents", "/lab/tree", "/tree"])
        assert.equal((await ask(`${place}/${path}`)).status, 404, `${place}/${path.slice(0, 40)}`);
  });

  test("port 8080 of the machine is its notebook server, by either name", limits, async () => {
    for (const host of ["127.0.0.1", "localhost"])
      await through(main, `${host}:8080`, async (local) => {
        const page = await get(local, `/lab?token=${tokenOf(main)}`);
        assert.match(page.text, new RegExp(`Instance ${main.id}`));
        assert.equal((await get(local, "/lab")).status, 403);
        assert.equal((await get(local, "/api")).status, 200);
      });
  });

  test("JUPYTER_PORT and JUPYTER_TOKEN of its environment count, and only on that machine", limits, async () => {
    const own = createHttpServer((_, response) => response.end("this computer"));
    await new Promise<void>((resolve) => own.listen(0, "127.0.0.1", resolve));
    const { port } = own.address() as AddressInfo;
    const env = { JUPYTER_PORT: String(port), JUPYTER_TOKEN: "a token of my own" };
    const record = await rent({ env });
    assert.equal(tokenOf(record), env.JUPYTER_TOKEN);
    assert.deepEqual(record.extra_env, Object.entries(env));
    const token = encodeURIComponent(env.JUPYTER_TOKEN);
    assert.equal((await get(portOf(record, `${port}/tcp`), `/api/status?token=${token}`)).status, 200);
    assert.ok(!("8080/tcp" in (record.ports as Json)));
    const seen = (at: Json) => through(at, `localhost:${port}`, async (local) => (await get(local, "/api")).text);
    assert.match(await seen(record), /version/);
    assert.equal(await seen(main), "this computer");
    for (const odd of ["0", "65536", "80a", "", "-1"])
      assert.ok("8080/tcp" in ((await rent({ env: { JUPYTER_PORT: odd, JUPYTER_TOKEN: "" } })).ports as Json), odd);
    own.close();
  });

  test(
    "through the service's proxy it has no public port, and is reached through ssh all the same",
    limits,
    async () => {
      const record = await rent({ runtype: "jupyter_proxy" });
      assert.deepEqual(record.ports, {});
      assert.notEqual(record.public_ipaddr, "127.0.0.1");
      assert.match(tokenOf(record), /^[0-9a-f]{64}$/);
      const address = {
        ...record,
        ports: { "22/tcp": [{ HostIp: "127.0.0.1", HostPort: Number(record.ssh_port) + 1 }] },
      };
      const text = await through(address, "localhost:8080", async (local) => (await get(local, "/api")).text);
      assert.match(text, /version/);
    },
  );

  test("a stop ends it; a start brings it back with the same token", limits, async () => {
    const record = await rent();
    const port = portOf(record, "8080/tcp");
    const stopped = await change(record, "stopped");
    assert.equal(stopped.ports, null);
    assert.ok(!(await isListening(port)));
    const started = await change(record, "running");
    assert.equal(tokenOf(started), tokenOf(record));
    const answer = await get(portOf(started, "8080/tcp"), `/api/status?token=${tokenOf(record)}`);
    assert.equal(answer.status, 200);
  });

  test("a public port leads to what the machine's own programs listen with", {
    ...limits,
    skip: linuxOnly,
  }, async () => {
    const inside = await freePort();
    const record = await rent({ runtype: "ssh_direct", env: { [`-p 8000:${inside}`]: "1" } });
    const neighbor = await rent({ runtype: "ssh_direct", env: { [`-p 8000:${inside}`]: "1" } });
    const port = portOf(record, `${inside}/tcp`);
    assert.ok(await isListening(port));
    assert.equal(await hear(port), "", "nothing listens inside yet");
    for (const host of ["127.0.0.1", "::1", "0.0.0.0", "::"]) {
      const running = await serve(record, inside, "from the machine", host);
      assert.equal(await hear(port), "from the machine", host);
      assert.equal(await hear(portOf(neighbor, `${inside}/tcp`)), "", "that of another machine");
      running.child.kill();
      await until("it has ended", () => findRunning(`listen(${inside}`).length === 0);
    }
    await serve(record, inside, "again");
    await bench.ask("DELETE", `/api/v0/instances/${record.id}/`, { body: {} });
    await until("the port is gone", async () => !(await isListening(port)));
    await until("the program, too", () => findRunning(`listen(${inside}`).length === 0);
  });

  test("a public port never leads to a program of this computer", limits, async () => {
    const own = createServer((socket) => socket.end("this computer"));
    await new Promise<void>((resolve) => own.listen(0, "127.0.0.1", resolve));
    const { port } = own.address() as AddressInfo;
    const record = await rent({ runtype: "ssh_direct", env: { [`-p 80:${port}`]: "1" } });
    assert.equal(await hear(port), "this computer");
    assert.equal(await hear(portOf(record, `${port}/tcp`)), "");
    own.close();
  });

  test("what is listed can be reached: TCP ports that this computer has twice", limits, async () => {
    const env = { "-p 5000-5002:6000-6002": "1", "-p 9000:9000/udp": "1", "-p 70000:70000": "1", A: "b" };
    const record = await rent({ runtype: "ssh_direct", env });
    assert.deepEqual(Object.keys(record.ports as Json), ["22/tcp", "6000/tcp", "6001/tcp", "6002/tcp"]);
    const outside = Object.keys(record.ports as Json).map((name) => portOf(record, name));
    assert.equal(new Set(outside).size, 4);
    for (const port of outside) assert.ok(await isListening(port));
    assert.deepEqual(record.extra_env, Object.entries(env));
    const proxied = await rent({ runtype: "ssh", env: { "-p 8000:8000": "1" } });
    assert.deepEqual([proxied.public_ipaddr, Object.keys(proxied.ports as Json)], ["127.0.0.1", ["8000/tcp"]]);
  });

  test("nothing of it listens on another address", limits, async () => {
    const record = await rent({ env: { "-p 8000:8000": "1" } });
    const outside = ["22/tcp", "8080/tcp", "8000/tcp"].map((name) => portOf(record, name));
    const others = Object.values(networkInterfaces()).flatMap((all) => all?.filter(({ internal }) => !internal) ?? []);
    for (const port of outside) {
      assert.ok(await isListening(port));
      for (const { address, scopeid } of others)
        if (!scopeid) assert.ok(!(await isListening(port, address)), `${address}:${port}`);
      assert.ok(!(await isListening(port, "::1")));
    }
  });

  test("nobody who knows the seed knows a token", limits, async () => {
    assert.notEqual(tokenOf(main), formatNotebookToken(1, Number(main.id)));
    const second = await Bench.start({ ssh: true });
    const record = await rent({}, second);
    assert.equal(record.id, main.id, "the same world");
    assert.notEqual(tokenOf(record), tokenOf(main));
    await second.sandbox.stop();
    assert.ok(!(await isListening(portOf(record, "8080/tcp"))));
  });
});

describe("where no machine can be logged in to", () => {
  test("ports and token are made up, the same for the same seed, and at most 64", async () => {
    const bench = await Bench.start();
    const env = { "-p 6000-6002:6000-6002": "1", "-p 9000:9000/udp": "1" };
    const { id, jupyter_token } = await bench.created({ image: "a/b", disk: 10, runtype: "jupyter_direct", env });
    bench.clock.advance(AWHILE);
    const { ports } = await bench.instance(id);
    const names = ["8080/tcp", "22/tcp", "6000/tcp", "6001/tcp", "6002/tcp", "9000/udp"];
    assert.deepEqual(Object.keys(ports as Json), names);
    assert.equal(jupyter_token, formatNotebookToken(1, Number(id)));
    const many = await bench.created({ image: "a/b", disk: 10, env: { "-p 1-65535:1-65535": "1" } });
    bench.clock.advance(AWHILE);
    assert.equal(Object.keys((await bench.instance(many.id)).ports as Json).length, 64);
    await bench.sandbox.stop();
  });
});
