/** The editor of JSON, loaded where one is shown. What stands below it stays where it is, so that no click is lost. */
import { Box } from "@mui/material";
import { type ComponentProps, Suspense, lazy } from "react";

const JsonInput = lazy(() => import("./JsonInput"));
/** Pixels of an editor that is empty, with its label and its margins, and of one with a line of help. */
const HEIGHT = { bare: 129, helped: 152 };

export function LazyJsonInput(props: ComponentProps<typeof JsonInput>) {
  return <Box sx={{ display: "flow-root", width: "100%", minHeight: props.helperText === false ? HEIGHT.bare : HEIGHT.helped }}><Suspense fallback={null}><JsonInput {...props} /></Suspense></Box>;
}
