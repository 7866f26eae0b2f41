/** A person in a circle. No picture is loaded from where somebody says that theirs is: the initials have to do. */
import { Avatar } from "@mui/material";

function initialsOf(name: string): string {
  const words = name.trim().split(/\s+/);
  const telling = words.length > 1 ? [words[0], words.at(-1)] : words;
  // By code points: a letter may be two units.
  return telling.map((word) => [...(word ?? "")][0] ?? "").join("").toUpperCase();
}

/** The name stands beside it, so that there is nothing to read out. */
export function Initials({ name }: { name: string }) {
  return <Avatar aria-hidden sx={{ width: 28, height: 28, fontSize: "0.75rem", bgcolor: "secondary.main", color: "secondary.contrastText" }}>{initialsOf(name)}</Avatar>;
}
