/** Markdown as people read it: HTML in it stays text, links lead to http and https alone, pictures are links. */
import { Box, Link } from "@mui/material";
import ReactMarkdown from "react-markdown";
import remarkGfm from "remark-gfm";

import { safeAddress } from "./links";

/** The page has its own heading, and its parts theirs: what a record says stands below them. */
const HEADINGS = { h1: "h3", h2: "h4", h3: "h5", h4: "h6", h5: "h6", h6: "h6" } as const;

export default function Markdown({ text }: { text: string }) {
  return (
    <Box sx={{ overflowWrap: "anywhere", "& pre": { overflowX: "auto" }, "& > :first-of-type": { mt: 0 }, "& table": { borderCollapse: "collapse" }, "& td, & th": { border: 1, borderColor: "divider", px: 1 } }}>
      <ReactMarkdown
        remarkPlugins={[remarkGfm]}
        skipHtml={false}
        urlTransform={(address) => safeAddress(address) ?? ""}
        components={{
          ...HEADINGS,
          a: ({ href, children }) => (href ? <Link href={href} target="_blank" rel="noopener noreferrer nofollow">{children}</Link> : <span>{children}</span>),
          // Nothing comes from elsewhere, pictures included.
          img: ({ src, alt }) => (typeof src === "string" && src ? <Link href={src} target="_blank" rel="noopener noreferrer nofollow">{alt || src}</Link> : <span>{alt}</span>),
        }}
      >
        {text}
      </ReactMarkdown>
    </Box>
  );
}
