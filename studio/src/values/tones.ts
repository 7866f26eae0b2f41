/** Colours of states: by what a state means, in any model. */
export type Tone = "default" | "info" | "success" | "warning" | "error" | "primary";

const TONES: Record<Exclude<Tone, "default">, readonly string[]> = {
  success: [
    "active", "accepted", "answered", "applied", "approved", "complete", "completed", "delivered", "indexed", "published", "ready", "stored",
    "succeeded", "success", "valid", "verified", "won", "relevant", "supports",
  ],
  error: [
    "critical", "denied", "disabled", "disputed", "failed", "failure", "forbidden", "lost", "not_found", "rejected", "revoked", "timed_out",
    "contradicts", "insufficient_permissions", "irrelevant", "abandoned",
  ],
  warning: [
    "awaiting_approval", "changes_requested", "degraded", "expired", "in_review", "paused", "pending", "rate_limited", "retracted", "suppressed", "usage_exceeded",
    "warning", "high", "aborted", "negotiation",
  ],
  info: ["building", "in_progress", "processing", "qualified", "queued", "running", "delivering", "streaming", "acknowledged", "info", "proposal", "medium"],
  primary: ["lead", "new", "open", "proposed", "draft", "owner", "admin", "public"],
};

const BY_VALUE = new Map(Object.entries(TONES).flatMap(([tone, values]) => values.map((value) => [value, tone as Tone] as const)));

export const toneOf = (value: string): Tone => BY_VALUE.get(value.toLowerCase()) ?? "default";
