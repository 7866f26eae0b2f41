/** A chart of a panel; loaded when one is looked at. */
import { useMediaQuery, useTheme } from "@mui/material";
import { Area, AreaChart, Bar, BarChart, CartesianGrid, Cell, Legend, Line, LineChart, Pie, PieChart, ResponsiveContainer, Tooltip, XAxis, YAxis } from "recharts";

import { series } from "../design/tokens";
import { HEIGHT, type Panel, type Point } from "./panels";
import type { Words } from "./told";

interface Props {
  panel: Panel;
  points: readonly Point[];
  words: Words;
}

const MARGIN = { top: 8, right: 8, bottom: 0, left: 0 };

export default function PanelChart({ panel, points, words }: Props) {
  const { palette, typography } = useTheme();
  const isPlain = useMediaQuery("(prefers-reduced-motion: reduce)");
  const shades = series[palette.mode];
  const data = points.map(({ key, value }) => ({ name: words.part(key), value }));
  const told = (value: unknown) => words.value(Number(value));
  const tick = { fill: palette.text.secondary, fontSize: typography.caption.fontSize };
  const hint = (
    <Tooltip
      contentStyle={{ backgroundColor: palette.background.paper, borderColor: palette.divider, color: palette.text.primary, borderRadius: 6 }} itemStyle={{ color: palette.text.primary }}
      cursor={{ fill: palette.action.hover, stroke: palette.divider }} isAnimationActive={!isPlain} formatter={(value) => [told(value), words.measure]}
    />
  );
  const frame = [
    <CartesianGrid key="grid" vertical={false} stroke={palette.divider} />,
    <XAxis key="x" dataKey="name" tick={tick} stroke={palette.divider} tickLine={false} minTickGap={16} />,
    <YAxis key="y" tickFormatter={(value) => words.brief(Number(value))} tick={tick} stroke="none" width="auto" tickCount={5} />,
  ];
  const drawn = { dataKey: "value", name: words.measure, isAnimationActive: !isPlain } as const;
  const chart =
    panel.kind === "line" ? <LineChart data={data} margin={MARGIN}>{frame}{hint}<Line {...drawn} stroke={palette.primary.main} strokeWidth={2} dot={{ r: 2 }} /></LineChart>
    : panel.kind === "area" ? <AreaChart data={data} margin={MARGIN}>{frame}{hint}<Area {...drawn} stroke={palette.primary.main} strokeWidth={2} fill={palette.primary.main} fillOpacity={0.16} /></AreaChart>
    : panel.kind === "ring" ? (
      <PieChart>
        {hint}
        <Legend formatter={(name: string) => <span style={{ color: palette.text.primary, fontSize: typography.caption.fontSize }}>{name}</span>} />
        <Pie data={data} dataKey="value" nameKey="name" innerRadius="58%" outerRadius="85%" stroke={palette.background.paper} isAnimationActive={!isPlain}>
          {data.map(({ name }, place) => <Cell key={name} fill={shades[place % shades.length]!} />)}
        </Pie>
      </PieChart>
    ) : <BarChart data={data} margin={MARGIN}>{frame}{hint}<Bar {...drawn} fill={palette.primary.main} maxBarSize={44} radius={[3, 3, 0, 0]} /></BarChart>;
  return <ResponsiveContainer width="100%" height={HEIGHT}>{chart}</ResponsiveContainer>;
}
