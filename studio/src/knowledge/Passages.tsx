/** The passages that a document was cut into, beside their place in it. */
import { Box, Button, Link, Paper, Typography } from "@mui/material";
import { useEffect, useRef } from "react";
import { useTranslate } from "react-admin";
import { Link as RouterLink } from "react-router-dom";

import { Section } from "../design/Section";
import { DOCUMENT, type Document, usePlace, useChunks } from "./knowledge";

export function Passages({ document: { id, title, chunkCount } }: { document: Document }) {
  const translate = useTranslate();
  const placeOf = usePlace();
  const query = useChunks(id, chunkCount);
  const top = useRef<HTMLDivElement>(null);
  useEffect(() => {
    top.current?.scrollIntoView({ block: "nearest" });
  }, []);
  const open = <Link component={RouterLink} to={`/${DOCUMENT}/${id}/show`}>{translate("studio.knowledge.open")}</Link>;
  return (
    <Box ref={top}>
      <Section title={title} actions={open} query={query}>
        <Box component="ol" aria-label={translate("studio.knowledge.passages")} sx={{ listStyle: "none", m: 0, p: 0 }}>
          {query.data?.pages.flat().map(({ id: chunk, position, content, ...place }) => (
            <Paper key={chunk} component="li" variant="outlined" sx={{ display: "grid", gap: 1, gridTemplateColumns: { xs: "1fr", sm: "180px minmax(0, 1fr)" }, p: 1.5, mb: 1 }}>
              <Typography variant="body2" color="text.secondary" sx={{ overflowWrap: "anywhere" }}>{[`${position + 1}`, placeOf(place)].filter(Boolean).join(" · ")}</Typography>
              <Typography variant="body2" sx={{ whiteSpace: "pre-line", overflowWrap: "anywhere" }}>{content}</Typography>
            </Paper>
          ))}
        </Box>
        {query.hasNextPage && <Button disabled={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>{translate("studio.knowledge.more")}</Button>}
      </Section>
    </Box>
  );
}
