// Makes tar archives byte by byte, right ones and spoiled ones.

export interface TarPart {
  readonly name?: string;
  readonly type?: string;
  readonly data?: Uint8Array | string;
  /** In place of the length of the data. */
  readonly size?: number;
  readonly mode?: number;
  readonly link?: string;
  readonly prefix?: string;
  readonly magic?: string;
  /** Added to the checksum. */
  readonly wrong?: number;
}

const BLOCK = 512;

/** A header, and its data filled up to whole blocks. */
export function tarPart(part: TarPart): Buffer {
  const { name = "", type = "0", mode = 0o644, link = "", prefix = "", magic = "ustar\u000000", wrong = 0 } = part;
  const data = Buffer.from(part.data ?? "");
  const head = Buffer.alloc(BLOCK);
  const size = part.size ?? data.length;
  head.write(name, 0, 100);
  head.write(`${mode.toString(8).padStart(7, "0")}\0`, 100);
  head.write("0000000\u00000000000\0", 108);
  if (size < 0o100000000000) head.write(`${size.toString(8).padStart(11, "0")}\0`, 124);
  else {
    head[124] = 0x80;
    head.writeBigUInt64BE(BigInt(size), 128);
  }
  head.write("00000000017\0", 136);
  head.write(type, 156, 1, "latin1");
  head.write(link, 157, 100);
  head.write(magic, 257, 8, "latin1");
  head.write(prefix, 345, 155);
  head.write("        ", 148);
  const sum = head.reduce((total, byte) => total + byte, wrong);
  head.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return Buffer.concat([head, data, Buffer.alloc((BLOCK - (data.length % BLOCK)) % BLOCK)]);
}

/** A record with attributes of the next entry. */
export function paxPart(attributes: Readonly<Record<string, string>>, type = "x"): Buffer {
  const records = Object.entries(attributes).map(([name, value]) => {
    const rest = Buffer.from(` ${name}=${value}\n`);
    let length = rest.length + 1;
    while (String(length).length + rest.length !== length) length += 1;
    return Buffer.concat([Buffer.from(String(length)), rest]);
  });
  return tarPart({ name: "PaxHeader", type, data: Buffer.concat(records) });
}

/** The two blocks of zeros at the end. */
export const TAR_END = Buffer.alloc(2 * BLOCK);
