/** How many passages of a knowledge base have a vector. */
import { Typography } from "@mui/material";
import { useTranslate } from "react-admin";

export function Progress({ index }: { index: Readonly<Record<string, unknown>> }) {
  const translate = useTranslate();
  const said = index.embeddingModel ? translate("studio.knowledge.progress", { embedded: index.embeddedCount, all: index.chunkCount }) : translate("studio.knowledge.no_model");
  return <Typography color="text.secondary" gutterBottom>{said}</Typography>;
}
