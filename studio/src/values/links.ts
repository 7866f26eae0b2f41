/** Addresses that may be links: http, https and mail; anything else, such as `javascript:`, stays text. */
export function safeAddress(text: string): string | undefined {
  try {
    const address = new URL(text);
    return ["http:", "https:"].includes(address.protocol) ? address.href : undefined;
  } catch {
    return undefined;
  }
}

/** A mail address as a link, with nothing in it but the address. */
export const mailAddress = (text: string) => `mailto:${encodeURIComponent(text).replace("%40", "@")}`;
