// A film of the README: pictures of the real editor, each shown for as long as it takes to read.
import { join } from "node:path";
import sharp from "sharp";
import type { Workbench } from "../../editor/page.ts";
import { ROOT, takePicture } from "./scene.ts";

export const SIZE = { width: 1000, height: 600 };

interface Frame {
  readonly png: Buffer;
  /** Milliseconds. */
  readonly shown: number;
}

export class Film {
  readonly #frames: Frame[] = [];

  /** Adds what the window shows now, for so many milliseconds. */
  async shoot(window: Workbench, shown: number): Promise<void> {
    this.#frames.push({ png: await takePicture(window), shown });
  }

  /** Writes it among the media, under this name. */
  async save(name: string): Promise<void> {
    const delay = this.#frames.map(({ shown }) => shown);
    const pictures = this.#frames.map(({ png }) => png);
    await sharp(pictures, { join: { animated: true } })
      // Lossy frames keep a shadow of what was there before.
      .webp({ nearLossless: true, quality: 40, effort: 6, minSize: true, delay, loop: 0 })
      .toFile(join(ROOT, "media", name));
  }
}
