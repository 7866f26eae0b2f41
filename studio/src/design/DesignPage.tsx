/** The parts that the studio is made of, on one page: type, space, colours, corners and controls. */
import { Alert, Box, Button, Chip, Paper, Skeleton, Stack, TextField, Typography, useTheme } from "@mui/material";
import { useTranslate } from "react-admin";

import { Page } from "../layout/Page";
import { Nothing } from "./Nothing";
import { Section } from "./Section";
import { motion, radius, series, space } from "./tokens";

const SIZES = ["h4", "h5", "h6", "subtitle1", "body1", "body2", "caption"] as const;
const TONES = ["primary", "success", "warning", "error", "info"] as const;

export default function DesignPage() {
  const translate = useTranslate();
  const { palette } = useTheme();
  const word = (key: string) => translate(`studio.design.${key}`);
  return (
    <Page title={word("title")}>
      <Section title={word("type")}>
        <Paper variant="outlined" sx={{ p: 2 }}>{SIZES.map((size) => <Typography key={size} variant={size} component="p">{word("sample")}</Typography>)}</Paper>
      </Section>
      <Section title={word("colours")}>
        <Stack direction="row" useFlexGap sx={{ flexWrap: "wrap", gap: 1 }}>
          {TONES.map((tone) => <Box key={tone} sx={{ width: 120, p: 1.5, borderRadius: 1, typography: "caption", bgcolor: `${tone}.main`, color: `${tone}.contrastText` }}>{word(tone)}</Box>)}
        </Stack>
        <Stack direction="row" role="img" aria-label={word("series")} sx={{ mt: 1 }}>{series[palette.mode].map((shade) => <Box key={shade} sx={{ width: 48, height: 24, bgcolor: shade }} />)}</Stack>
      </Section>
      <Section title={word("space")}>
        <Stack direction="row" useFlexGap spacing={2} sx={{ alignItems: "end" }}>
          {Object.entries(space).map(([name, steps]) => <Box key={name} sx={{ typography: "caption" }}><Box sx={{ width: steps * 8, height: steps * 8, bgcolor: "primary.main" }} />{steps * 8}</Box>)}
          {Object.entries(radius).map(([name, pixels]) => <Box key={name} sx={{ typography: "caption" }}><Box sx={{ width: 40, height: 40, border: 1, borderColor: "primary.main", borderRadius: `${pixels}px` }} />{pixels}</Box>)}
          <Typography variant="caption">{translate("studio.design.motion", { most: motion.slow })}</Typography>
        </Stack>
      </Section>
      <Section title={word("controls")}>
        <Stack direction="row" useFlexGap sx={{ flexWrap: "wrap", gap: 1, alignItems: "center" }}>
          <Button variant="contained">{word("primary")}</Button>
          <Button variant="outlined">{word("second")}</Button>
          <Button>{word("third")}</Button>
          <Button color="error">{word("error")}</Button>
          <TextField label={word("input")} />
          {TONES.map((tone) => <Chip key={tone} size="small" variant="outlined" color={tone} label={word(tone)} />)}
        </Stack>
      </Section>
      <Section title={word("states")}>
        <Stack spacing={1}>
          <Skeleton variant="rounded" height={32} />
          <Alert severity="error">{word("fault")}</Alert>
          <Nothing title={translate("studio.dashboards.none")} text={translate("studio.dashboards.none_text")} />
        </Stack>
      </Section>
    </Page>
  );
}
