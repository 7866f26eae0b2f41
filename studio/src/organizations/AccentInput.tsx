/** The colour of an organization, kept among its metadata. */
import { Box, Button, Stack, Typography } from "@mui/material";
import { useId } from "react";
import { useTranslate } from "react-admin";
import { useFormContext, useWatch } from "react-hook-form";

import { colours, space } from "../design/tokens";
import { Malformed } from "../inputs/json";
import { accentOf } from "../layout/accent";

type Metadata = Record<string, unknown>;

export function AccentInput() {
  const translate = useTranslate();
  const id = useId();
  const { setValue } = useFormContext();
  const entered: unknown = useWatch({ name: "metadata" });
  const metadata = entered instanceof Malformed ? undefined : (entered as Metadata | undefined);
  const accent = accentOf(metadata);
  const change = (chosen: string | undefined) => {
    const { accent: _, ...others } = metadata ?? {};
    setValue("metadata", chosen ? { ...others, accent: chosen } : others, { shouldDirty: true, shouldTouch: true });
  };
  return (
    <Stack direction="row" useFlexGap sx={{ alignItems: "center", gap: space.near, minHeight: 40, mb: space.usual }}>
      <Typography component="label" htmlFor={id} variant="body2">{translate("studio.organizations.accent")}</Typography>
      <Box component="input" type="color" id={id} disabled={entered instanceof Malformed} value={accent ?? colours.light.primary} onChange={(event) => change((event.target as HTMLInputElement).value)} sx={{ width: 44, height: 28, p: 0, border: 1, borderColor: "divider", borderRadius: 1, bgcolor: "transparent" }} />
      {accent && <Button size="small" onClick={() => change(undefined)}>{translate("studio.organizations.no_accent")}</Button>}
    </Stack>
  );
}
