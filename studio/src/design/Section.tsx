/** A section of the page: its heading, what can be done, and what it holds once that is read. */
import { Alert, Box, Button, LinearProgress, Stack, Typography } from "@mui/material";
import type { ReactNode } from "react";
import { useTranslate } from "react-admin";

import { useSentence } from "../api/sentences";

interface Query {
  isPending: boolean;
  error: unknown;
  /** Nothing was ever read; of what was read before, the last stays. */
  isLoadingError: boolean;
  refetch: () => unknown;
}

interface Props {
  /** None where the page says it. */
  title?: string;
  actions?: ReactNode;
  query?: Query;
  children: ReactNode;
}

export function Section({ title, actions, query, children }: Props) {
  return (
    <Box component="section" sx={{ mb: 4, minWidth: 0 }}>
      {(title || actions) && (
        <Stack direction="row" useFlexGap sx={{ alignItems: "center", flexWrap: "wrap", gap: 1, my: 1.5, minHeight: 36 }}>
          {title && <Typography component="h2" variant="h6" sx={{ flex: 1, minWidth: 160 }}>{title}</Typography>}
          {actions}
        </Stack>
      )}
      {query ? <Read query={query}>{children}</Read> : children}
    </Box>
  );
}

/** What was read, or why it was not. */
function Read({ query, children }: { query: Query; children: ReactNode }) {
  const translate = useTranslate();
  const sentence = useSentence();
  if (query.isLoadingError) return <Alert severity="error" action={<Button color="inherit" onClick={() => void query.refetch()}>{translate("studio.list.retry")}</Button>}>{sentence(query.error)}</Alert>;
  if (query.isPending) return <LinearProgress aria-label={translate("studio.list.loading")} />;
  return children;
}
