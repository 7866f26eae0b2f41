/** Requests by outcome and the time that answers took, as charts; loaded when a key is looked at. */
import { Box, type Palette, Typography, useMediaQuery, useTheme } from "@mui/material";
import { type ReactElement, useId } from "react";
import { useLocale, useTranslate } from "react-admin";
import { Bar, BarChart, CartesianGrid, Legend, Line, LineChart, ResponsiveContainer, Tooltip, XAxis, YAxis } from "recharts";

import { milliseconds, number } from "../values/formats";
import type { Interval, Latency, Point } from "./keys";
import { LATENCIES, exactTimeOf, outcomesIn, timeOf } from "./series";

interface Props {
  points: readonly Point[];
  interval: Interval;
}

const HEIGHT = 280;

export default function UsageCharts(props: Props) {
  return (
    <>
      <Outcomes {...props} />
      <Latencies {...props} />
    </>
  );
}

/** Each outcome in a shade of its own: what went well, what was too much, what was not allowed, what was no good key. */
function colourOf(outcome: string, { success, warning, info, error, grey }: Palette): string {
  const colours: Record<string, string> = {
    VALID: success.main, RATE_LIMITED: warning.main, USAGE_EXCEEDED: warning.light, INSUFFICIENT_PERMISSIONS: info.main, FORBIDDEN: info.light, DISABLED: error.light,
    EXPIRED: warning.dark, REVOKED: error.main, NOT_FOUND: error.dark,
  };
  return colours[outcome] ?? grey[500];
}

const usePlain = () => useMediaQuery("(prefers-reduced-motion: reduce)");

function Outcomes({ points, interval }: Props) {
  const translate = useTranslate();
  const locale = useLocale();
  const { palette } = useTheme();
  const isPlain = usePlain();
  const title = translate("studio.keys.outcomes");
  return (
    <Chart title={title}>
      <BarChart data={points} aria-label={title} margin={{ top: 8, right: 8, bottom: 0, left: 0 }}>
        <Frame interval={interval} told={(value) => number(value, locale)} />
        {outcomesIn(points).map((outcome) => (
          <Bar
            key={outcome} dataKey={({ outcomes }: Point) => outcomes[outcome] ?? 0} name={translate(`value.outcome.${outcome}`)} stackId="outcomes" fill={colourOf(outcome, palette)}
            stroke={palette.background.default} maxBarSize={48} isAnimationActive={!isPlain}
          />
        ))}
      </BarChart>
    </Chart>
  );
}

/** Lines differ in their dashes, too: colours alone tell not everybody. */
const DASHES: Record<keyof Latency, string> = { average: "0", p95: "6 3", max: "2 3" };

function Latencies({ points, interval }: Props) {
  const translate = useTranslate();
  const locale = useLocale();
  const { palette } = useTheme();
  const isPlain = usePlain();
  const title = translate("studio.keys.latency");
  const colours: Record<keyof Latency, string> = { average: palette.info.main, p95: palette.warning.main, max: palette.error.main };
  return (
    <Chart title={title}>
      <LineChart data={points} aria-label={title} margin={{ top: 8, right: 8, bottom: 0, left: 0 }}>
        <Frame interval={interval} told={(value) => milliseconds(value, locale)} />
        {LATENCIES.map(({ name, word }) => (
          <Line
            key={name} dataKey={({ latencyMs }: Point) => latencyMs[name]} name={translate(word)} stroke={colours[name]} strokeDasharray={DASHES[name]} strokeWidth={2}
            dot={{ r: 3, strokeDasharray: "0" }} connectNulls isAnimationActive={!isPlain}
          />
        ))}
      </LineChart>
    </Chart>
  );
}

function Chart({ title, children }: { title: string; children: ReactElement }) {
  const id = useId();
  return (
    <Box component="figure" aria-labelledby={id} sx={{ m: 0, my: 2, minWidth: 0 }}>
      <Typography id={id} component="h3" variant="subtitle1" gutterBottom>{title}</Typography>
      <ResponsiveContainer width="100%" height={HEIGHT}>{children}</ResponsiveContainer>
    </Box>
  );
}

/** The axes, the grid, the legend and what is told of a point, in the colours of the theme. */
function Frame({ interval, told }: { interval: Interval; told: (value: number) => string }) {
  const locale = useLocale();
  const isPlain = usePlain();
  const { palette, typography } = useTheme();
  const tick = { fill: palette.text.secondary, fontSize: typography.caption.fontSize };
  const box = { backgroundColor: palette.background.paper, borderColor: palette.divider, color: palette.text.primary };
  return (
    <>
      <CartesianGrid vertical={false} stroke={palette.divider} />
      <XAxis dataKey="time" tickFormatter={(time: string) => timeOf(time, interval, locale)} tick={tick} stroke={palette.text.secondary} minTickGap={24} />
      <YAxis tickFormatter={(value: number) => told(value)} tick={tick} stroke={palette.text.secondary} allowDecimals={false} width="auto" />
      <Tooltip
        contentStyle={box} itemStyle={{ color: palette.text.primary }} cursor={{ fill: palette.action.hover, stroke: palette.divider }} isAnimationActive={!isPlain}
        labelFormatter={(time) => exactTimeOf(String(time), interval, locale)} formatter={(value) => told(Number(value))}
      />
      <Legend formatter={(name: string) => <Box component="span" sx={{ color: "text.primary" }}>{name}</Box>} />
    </>
  );
}
