/** How the clients of others are told of the endpoint: by a command, a file, or steps in words. */

/** What the endpoint is called in the configuration of a client. */
export const NAME = "rowgate";
/** What stands where somebody puts their key. */
export const PLACEHOLDER = "<API key>";
/** How many steps in words there are for a client that takes the address alone. */
export const STEPS = [1, 2, 3] as const;

const AUTHORIZATION = `Bearer ${PLACEHOLDER}`;

export interface Client {
  id: string;
  /** What it calls itself. */
  name: string;
  /** The file that holds the configuration; without one, it is a command. */
  file?: string;
  /** The configuration; none where one enters the address by hand, and there is no place for a key. */
  configured?: (url: string, hasKey: boolean) => string;
}

const headersOf = (hasKey: boolean) => (hasKey ? { headers: { Authorization: AUTHORIZATION } } : {});
const written = (value: object) => JSON.stringify(value, null, 2);

function forClaudeCode(url: string, hasKey: boolean): string {
  const command = `claude mcp add --transport http ${NAME} ${url}`;
  return hasKey ? `${command} --header "Authorization: ${AUTHORIZATION}"` : command;
}

function forCodex(url: string, hasKey: boolean): string {
  const lines = [`[mcp_servers.${NAME}]`, `url = "${url}"`];
  return [...lines, ...(hasKey ? [`http_headers = { Authorization = "${AUTHORIZATION}" }`] : [])].join("\n");
}

export const CLIENTS: readonly Client[] = [
  { id: "claude_code", name: "Claude Code", configured: forClaudeCode },
  { id: "claude", name: "Claude" },
  { id: "chatgpt", name: "ChatGPT" },
  {
    id: "cursor", name: "Cursor", file: ".cursor/mcp.json",
    configured: (url, hasKey) => written({ mcpServers: { [NAME]: { url, ...headersOf(hasKey) } } }),
  },
  {
    id: "vscode", name: "VS Code", file: ".vscode/mcp.json",
    configured: (url, hasKey) => written({ servers: { [NAME]: { type: "http", url, ...headersOf(hasKey) } } }),
  },
  { id: "codex", name: "Codex", file: "~/.codex/config.toml", configured: forCodex },
  {
    id: "gemini", name: "Gemini CLI", file: "~/.gemini/settings.json",
    configured: (url, hasKey) => written({ mcpServers: { [NAME]: { httpUrl: url, ...headersOf(hasKey) } } }),
  },
];

/** Where the service speaks the Model Context Protocol. */
export const endpoint = () => `${location.origin}/mcp`;
