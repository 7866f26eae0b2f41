/** What lets the page's own styles in: the policy of the page names it, and each page has another. */
export const NONCE = document.querySelector<HTMLMetaElement>('meta[name="style-nonce"]')?.content ?? "";
