/** Markdown as people read it: HTML in it stays text, links lead to http and https alone, pictures are links. */
import { Box, Link } from "@mui/material";
import ReactMarkdown from "react-markdown";
import remarkGfm from "remark-gfm";

import { safeAddress } from "./links";

interface Node {
  type: string;
  depth?: number;
  children?: Node[];
}

/** Puts headings below that of the page, each at most one level below the one before it, as WCAG wants them. */
function placedHeadings() {
  return (tree: Node) => {
    let last = 1;
    const place = (node: Node) => {
      if (node.type === "heading") node.depth = last = Math.min(node.depth! + 1, last + 1, 6);
      node.children?.forEach(place);
    };
    place(tree);
  };
}

export default function Markdown({ text }: { text: string }) {
  return (
    <Box sx={{ overflowWrap: "anywhere", "& pre": { overflowX: "auto" }, "& > :first-of-type": { mt: 0 }, "& table": { borderCollapse: "collapse" }, "& td, & th": { border: 1, borderColor: "divider", px: 1 } }}>
      <ReactMarkdown
        remarkPlugins={[remarkGfm, placedHeadings]}
        skipHtml={false}
        urlTransform={(address) => safeAddress(address) ?? ""}
        components={{
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
