/** The numbers of the charts as a table, the latest first. */
import { Paper, Table, TableBody, TableCell, TableContainer, TableHead, TableRow } from "@mui/material";
import { useLocale, useTranslate } from "react-admin";

import { milliseconds, number } from "../values/formats";
import { Empty } from "../values/Value";
import type { Interval, Point } from "./keys";
import { LATENCIES, exactTimeOf, outcomesIn } from "./series";

export function UsageTable({ points, interval }: { points: readonly Point[]; interval: Interval }) {
  const translate = useTranslate();
  const locale = useLocale();
  const outcomes = outcomesIn(points);
  const label = translate("studio.keys.outcomes");
  const told = (latency: number | null) => (latency === null ? <Empty /> : milliseconds(latency, locale));
  return (
    <TableContainer component={Paper} variant="outlined" tabIndex={0} role="region" aria-label={label} sx={{ maxHeight: 480, my: 1 }}>
      <Table size="small" stickyHeader aria-label={label} sx={{ fontVariantNumeric: "tabular-nums" }}>
        <TableHead>
          <TableRow>
            <TableCell>{translate("studio.keys.when")}</TableCell>
            <TableCell align="right">{translate("studio.keys.requests")}</TableCell>
            {outcomes.map((outcome) => <TableCell key={outcome} align="right">{translate(`value.outcome.${outcome}`)}</TableCell>)}
            {LATENCIES.map(({ name, word }) => <TableCell key={name} align="right">{translate(word)}</TableCell>)}
          </TableRow>
        </TableHead>
        <TableBody>
          {[...points].reverse().map((point) => (
            <TableRow key={point.time}>
              <TableCell component="th" scope="row">{exactTimeOf(point.time, interval, locale)}</TableCell>
              <TableCell align="right">{number(point.requests, locale)}</TableCell>
              {outcomes.map((outcome) => <TableCell key={outcome} align="right">{number(point.outcomes[outcome] ?? 0, locale)}</TableCell>)}
              {LATENCIES.map(({ name }) => <TableCell key={name} align="right">{told(point.latencyMs[name])}</TableCell>)}
            </TableRow>
          ))}
        </TableBody>
      </Table>
    </TableContainer>
  );
}
