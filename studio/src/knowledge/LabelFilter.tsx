/** Narrows a search to documents with some labels. */
import { Autocomplete, TextField } from "@mui/material";
import { useQuery } from "@tanstack/react-query";
import { useTranslate } from "react-admin";

import { provider } from "../api/provider";
import { INDEX } from "./knowledge";

export type Labels = Readonly<Record<string, string>>;

const LABEL = "ai-rag/metadata";
/** Labels that are offered. */
const MOST = 1000;

interface Props {
  index: string;
  value: Labels;
  onChange: (labels: Labels) => void;
}

export function LabelFilter({ index, value, onChange }: Props) {
  const translate = useTranslate();
  const { data: labels = [] } = useQuery({
    queryKey: [LABEL, INDEX, index],
    queryFn: async ({ signal }) => {
      const { data } = await provider.getList(LABEL, { filter: { where: { document: { indexId: index } } }, pagination: { page: 1, perPage: MOST }, meta: { fields: ["key", "value"], sort: ["key"], count: "none" }, signal });
      return [...new Map(data.map(({ key, value: named }) => [`${String(key)}: ${String(named)}`, [String(key), String(named)] as const])).values()];
    },
  });
  const chosen = Object.entries(value);
  if (labels.length === 0 && chosen.length === 0) return null;
  return (
    <Autocomplete
      multiple size="small" sx={{ minWidth: 220, flex: 1 }} options={labels as readonly (readonly [string, string])[]} value={chosen}
      getOptionLabel={([key, named]) => `${key}: ${named}`} isOptionEqualToValue={(one, other) => one.join() === other.join()}
      // A document has one label of each key.
      onChange={(_, given) => onChange(Object.fromEntries(given))}
      renderInput={(params) => <TextField {...params} label={translate("studio.knowledge.labels")} />}
    />
  );
}
