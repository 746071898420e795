// Lists the tags of any image and copies the chosen one.
import { parseImage } from "../../domain/template/image.ts";
import { t } from "../../lib/text.ts";
import { askText, walkSteps } from "../kit/ask/steps.ts";
import { copyText } from "../kit/messages.ts";
import { askTag } from "./choose-tag.ts";
import type { TemplateServices } from "./template-services.ts";

interface Draft {
  readonly image: string;
  readonly tagged?: string;
}

export async function fetchImageTags({ session }: TemplateServices, [given]: readonly unknown[]): Promise<void> {
  session.requireSignedIn();
  const title = t("List Image Tags");
  const draft = await walkSteps<Draft>({ image: typeof given === "string" ? given : "" }, [
    {
      ask: async (state, place) => {
        const image = await askText({
          ...place,
          title,
          prompt: t("Docker image whose tags to list"),
          placeholder: "pytorch/pytorch",
          value: state.image,
          read: parseImage,
        });
        return typeof image === "string" ? { image } : image;
      },
    },
    {
      ask: async (state, place) => {
        const tagged = await askTag(session, { ...place, title }, state.image);
        return typeof tagged === "string" ? { ...state, tagged } : tagged;
      },
    },
  ]);
  if (draft?.tagged === undefined) return;
  await copyText(draft.tagged);
}
