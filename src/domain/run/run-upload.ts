// What goes up for a run.
import { isMuchMore, type UploadList, type UploadSize } from "../transfer/upload-list.ts";

/** A data folder, by its path in the uploaded folder. */
export interface DataUpload extends UploadSize {
  readonly path: string;
}

/** Everything, and how much of it is where. */
export interface RunUpload extends UploadList {
  /** All but the data folders. */
  readonly main: UploadSize;
  readonly data: readonly DataUpload[];
}

/** Whether so much was added since the person agreed to it that they are asked again. */
export const hasRunOutgrown = ({ main, data }: RunUpload, agreed: RunUpload): boolean =>
  isMuchMore(main, agreed.main) ||
  data.some((one) => {
    const before = agreed.data.find(({ path }) => path === one.path);
    return before === undefined || isMuchMore(one, before);
  });
