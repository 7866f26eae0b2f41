/** A passage with the words of the question marked. */
import { Fragment } from "react";

interface Props {
  text: string;
  /** From which character until before which, as the service counts them: a pair of surrogates is one. */
  places: readonly (readonly [number, number])[];
  most: number;
}

export function Marked({ text, places, most }: Props) {
  const characters = Array.from(text);
  const shown = (start: number, end?: number) => characters.slice(start, Math.min(end ?? most, most)).join("");
  const visible = places.filter(([start]) => start < most);
  return (
    <>
      {shown(0, visible[0]?.[0])}
      {visible.map(([start, end], number) => <Fragment key={start}><mark>{shown(start, end)}</mark>{shown(end, visible[number + 1]?.[0])}</Fragment>)}
      {characters.length > most && "…"}
    </>
  );
}
