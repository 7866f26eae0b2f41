"""Models of answering: providers, chains, streams, attempts and generation steps."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy.orm import Mapped

from app.engine.declare.fields import (
    ADMIN_READS,
    CALLED,
    CALLER_ORGANIZATION,
    CALLER_USER,
    DERIVED,
    ENCRYPTED,
    FILTERABLE,
    IMMUTABLE,
    NOW,
    READ_ONLY,
    SORTABLE,
    WRITE_ONLY,
    boolean,
    enum,
    integer,
    json,
    long_text,
    reference,
    string,
    strings,
    timestamp,
    virtual,
)
from app.engine.declare.indexes import index, unique
from app.engine.declare.kinds import INTEGER_MAX, SAFE_MAX, Boolean
from app.engine.declare.policy import Policy
from app.engine.declare.record import Record
from app.engine.declare.scope import Rule
from app.engine.declare.scopes import PUBLISHED, Organization, Parent, Public

KINDS = ("builtin", "openai_compatible", "anthropic", "google", "azure_openai", "ollama")


class AiProvider(Record):
    """A language-model endpoint that chains can call."""

    __tablename__ = "ai_provider"
    domain, segment = "ai", "provider"
    path, searchable = "/api/v1/ai", ("slug", "name")
    bookkeeping = ("consecutive_failures", "last_checked_at", "last_error")
    policy = Policy(
        Public(public={"status": ["active", "degraded"]}), create=Rule.ADMIN, update=Rule.ADMIN, delete=Rule.ADMIN
    )
    operations_note = "carries a credential and decides where text is sent"
    transitions = {
        "status": {"active": ["degraded", "disabled"], "degraded": ["active", "disabled"], "disabled": ["active"]}
    }

    slug: Mapped[str] = string(
        IMMUTABLE, FILTERABLE, SORTABLE, min=2, max=60, pattern=r"^[a-z0-9][a-z0-9-]*$", unique=True
    )
    name: Mapped[str] = string(FILTERABLE, SORTABLE, min=1, max=100)
    kind: Mapped[str] = enum(
        *KINDS, flags=(IMMUTABLE, FILTERABLE), note="all but builtin are called over the OpenAI-compatible protocol"
    )
    base_url: Mapped[str | None] = string(
        ADMIN_READS, CALLED, max=2048, format="url", note="required unless kind is builtin"
    )
    api_key: Mapped[str | None] = string(
        WRITE_ONLY, ENCRYPTED, min=1, max=512, note="provider credential; send null to remove it"
    )
    has_api_key = virtual(Boolean(), READ_ONLY, ADMIN_READS, expression=lambda model: model.api_key.is_not(None))
    default_model: Mapped[str] = string(min=1, max=120)
    models: Mapped[list[Any]] = json(
        shape="array",
        max_bytes=65536,
        default=[],
        note="objects with id, contextWindow, inputMicrosPerMillion, outputMicrosPerMillion, capabilities",
    )
    capabilities: Mapped[list[str]] = strings(
        FILTERABLE, items=("text", "vision", "tools", "embeddings", "streaming"), default=["text", "streaming"]
    )
    timeout_ms: Mapped[int] = integer(ADMIN_READS, min=1000, max=300_000, default=30000)
    status: Mapped[str] = enum(
        "active", "degraded", "disabled", flags=(FILTERABLE,), default="active",
        note="degraded is set and lifted by the circuit breaker",
    )  # fmt: skip
    consecutive_failures: Mapped[int] = integer(READ_ONLY, ADMIN_READS, min=0, max=INTEGER_MAX, default=0)
    last_checked_at: Mapped[datetime | None] = timestamp(READ_ONLY, SORTABLE)
    last_error: Mapped[str | None] = string(READ_ONLY, ADMIN_READS, max=1000)


class AiChain(Record):
    """An ordered fallback plan over providers; the system-wide ones have no organization."""

    __tablename__ = "ai_chain"
    domain, segment = "ai", "chain"
    searchable = ("name", "description")
    policy = Policy(
        Organization("organization_id", public=PUBLISHED, write=Rule.MANAGERS),
        create=Rule.MANAGERS,
        update=Rule.MANAGERS,
        delete=Rule.MANAGERS,
    )
    keys = (
        unique("organization_id", "name", null_is_value=True),
        unique("organization_id", null_is_value=True, where="is_default"),
    )
    transitions = {"status": {"active": ["disabled"], "disabled": ["active"]}}

    organization_id: Mapped[UUID | None] = reference(
        "auth_organization", "cascade", IMMUTABLE, FILTERABLE, default=CALLER_ORGANIZATION,
        note="null only for chains made by a platform admin",
    )  # fmt: skip
    created_by_id: Mapped[UUID | None] = reference("auth_user", "set null", READ_ONLY, default=CALLER_USER)
    name: Mapped[str] = string(FILTERABLE, SORTABLE, min=1, max=100)
    description: Mapped[str | None] = string(max=1000)
    strategy: Mapped[str] = enum("ordered", "weighted", flags=(FILTERABLE,), default="ordered")
    max_attempts: Mapped[int] = integer(min=1, max=10, default=3, note="over all providers")
    timeout_ms: Mapped[int] = integer(min=1000, max=600_000, default=60000, note="for the whole answer")
    retry_on: Mapped[list[str]] = strings(
        items=("timeout", "rate_limit", "server_error", "network", "invalid_response"),
        default=["timeout", "rate_limit", "server_error", "network"],
        note="failures that move on to the next provider",
    )
    parameters: Mapped[dict[str, Any]] = json(shape="object", default={}, note="temperature, topP, maxOutputTokens")
    is_default: Mapped[bool] = boolean(FILTERABLE, default=False)
    status: Mapped[str] = enum("active", "disabled", flags=(FILTERABLE,), default="active")
    visibility: Mapped[str] = enum("private", "public", flags=(FILTERABLE,), default="private")


class AiChainProvider(Record):
    """Place of a provider within a chain."""

    __tablename__ = "ai_chain_provider"
    domain, segment = "ai", "chain-provider"
    policy = Policy(Parent("chain_id"))
    keys = (unique("chain_id", "position", deferrable=True),)

    chain_id: Mapped[UUID] = reference("ai_chain", "cascade", IMMUTABLE, FILTERABLE)
    provider_id: Mapped[UUID] = reference("ai_provider", "restrict", FILTERABLE)
    position: Mapped[int] = integer(
        SORTABLE, min=0, max=99, default=DERIVED,
        note="one past the last when omitted; reordering swaps inside one transaction",
    )  # fmt: skip
    model: Mapped[str | None] = string(min=1, max=120, note="overrides the provider default")
    weight: Mapped[int] = integer(min=1, max=100, default=1, note="share under the weighted strategy")
    max_retries: Mapped[int] = integer(min=0, max=5, default=0)
    timeout_ms: Mapped[int | None] = integer(min=1000, max=300_000)
    parameters: Mapped[dict[str, Any]] = json(shape="object", default={}, note="laid over the parameters of the chain")
    enabled: Mapped[bool] = boolean(FILTERABLE, default=True)


class AiStream(Record):
    """One streamed answer to a chat request."""

    __tablename__ = "ai_stream"
    domain, segment = "ai", "stream"
    logged = False
    bookkeeping = ("updated_at",)
    policy = Policy(Parent("chat_id", inherits_public=False), create=Rule.NONE, delete=Rule.NONE)
    operations_note = (
        "opened by the chat route; the only change a caller can make is status to aborted; it goes with its chat"
    )
    keys = (index("chat_id", "-created_at"), index("created_at", where="status IN ('pending', 'streaming')"))
    transitions = {
        "status": {
            "pending": ["streaming", "failed", "aborted"],
            "streaming": ["completed", "failed", "aborted"],
            "completed": [],
            "failed": [],
            "aborted": [],
        }
    }

    chat_id: Mapped[UUID] = reference("ai_chat", "cascade", READ_ONLY, FILTERABLE, default=DERIVED)
    request_message_id: Mapped[UUID | None] = reference(
        "ai_message", "set null", READ_ONLY, note="user message being answered"
    )
    message_id: Mapped[UUID | None] = reference(
        "ai_message", "set null", READ_ONLY, FILTERABLE, note="assistant message being written"
    )
    chain_id: Mapped[UUID | None] = reference("ai_chain", "set null", READ_ONLY, FILTERABLE)
    status: Mapped[str] = enum(
        "pending", "streaming", "completed", "failed", "aborted", flags=(FILTERABLE,), default="pending"
    )
    finish_reason: Mapped[str | None] = enum(
        "stop", "length", "content_filter", "tool_calls", "error", "other", flags=(READ_ONLY, FILTERABLE)
    )
    attempt_count: Mapped[int] = integer(READ_ONLY, min=0, max=1000, default=0)
    input_tokens: Mapped[int] = integer(READ_ONLY, min=0, max=INTEGER_MAX, default=0)
    output_tokens: Mapped[int] = integer(READ_ONLY, min=0, max=INTEGER_MAX, default=0)
    cost_micros: Mapped[int] = integer(
        READ_ONLY, SORTABLE, min=0, max=SAFE_MAX, default=0, note="millionths of a US dollar, sum over attempts"
    )
    started_at: Mapped[datetime | None] = timestamp(READ_ONLY, SORTABLE)
    first_token_at: Mapped[datetime | None] = timestamp(READ_ONLY)
    finished_at: Mapped[datetime | None] = timestamp(READ_ONLY)
    error_code: Mapped[str | None] = string(READ_ONLY, FILTERABLE, min=1, max=64)
    error_message: Mapped[str | None] = string(READ_ONLY, max=1000)


class AiAttempt(Record):
    """One call, or skipped call, to one provider while answering."""

    __tablename__ = "ai_attempt"
    domain, segment = "ai", "attempt"
    logged = False
    policy = Policy(Parent("stream_id", inherits_public=False), create=Rule.NONE, update=Rule.NONE, delete=Rule.NONE)
    operations_note = "written by the chat route only; cost and failure figures rest on it"
    keys = (unique("stream_id", "attempt_number"), index("provider_id", "-started_at"))
    transitions = {
        "status": {
            "running": ["succeeded", "failed", "timed_out", "aborted"],
            "succeeded": [],
            "failed": [],
            "timed_out": [],
            "aborted": [],
            "skipped": [],
        }
    }

    stream_id: Mapped[UUID] = reference("ai_stream", "cascade", READ_ONLY, FILTERABLE, default=DERIVED)
    chain_provider_id: Mapped[UUID | None] = reference("ai_chain_provider", "set null", READ_ONLY, FILTERABLE)
    provider_id: Mapped[UUID | None] = reference("ai_provider", "set null", READ_ONLY, FILTERABLE)
    provider_slug: Mapped[str] = string(
        READ_ONLY, FILTERABLE, min=1, max=60, default=DERIVED, note="kept after the provider is removed"
    )
    model: Mapped[str] = string(READ_ONLY, FILTERABLE, min=1, max=120, default=DERIVED)
    attempt_number: Mapped[int] = integer(READ_ONLY, SORTABLE, min=1, max=1000, default=DERIVED)
    status: Mapped[str] = enum(
        "running",
        "succeeded",
        "failed",
        "timed_out",
        "aborted",
        "skipped",
        flags=(READ_ONLY, FILTERABLE),
        default="running",
    )
    error_code: Mapped[str | None] = enum(
        "timeout",
        "rate_limit",
        "server_error",
        "network",
        "invalid_response",
        "auth",
        "bad_request",
        "content_filter",
        "circuit_open",
        "aborted",
        flags=(READ_ONLY, FILTERABLE),
    )
    error_message: Mapped[str | None] = string(READ_ONLY, max=1000, note="shortened, credentials removed")
    http_status: Mapped[int | None] = integer(READ_ONLY, FILTERABLE, min=100, max=599)
    retryable: Mapped[bool | None] = boolean(READ_ONLY)
    started_at: Mapped[datetime] = timestamp(READ_ONLY, SORTABLE, default=NOW)
    first_token_at: Mapped[datetime | None] = timestamp(READ_ONLY)
    finished_at: Mapped[datetime | None] = timestamp(READ_ONLY)
    latency_ms: Mapped[int | None] = integer(READ_ONLY, SORTABLE, min=0, max=INTEGER_MAX)
    input_tokens: Mapped[int | None] = integer(READ_ONLY, min=0, max=INTEGER_MAX)
    output_tokens: Mapped[int | None] = integer(READ_ONLY, min=0, max=INTEGER_MAX)
    cost_micros: Mapped[int | None] = integer(READ_ONLY, SORTABLE, min=0, max=SAFE_MAX)
    request_id: Mapped[str | None] = string(READ_ONLY, min=1, max=200, note="identifier given by the provider")


class AiGenerationStep(Record):
    """One step of a stream: a run of text or reasoning, a tool call or its result."""

    __tablename__ = "ai_generation_step"
    domain, segment = "ai", "generation-step"
    logged = False
    policy = Policy(Parent("stream_id", inherits_public=False), create=Rule.NONE, update=Rule.NONE, delete=Rule.NONE)
    operations_note = "a record of what was generated, written while the stream runs"
    keys = (unique("stream_id", "step_number"),)
    transitions = {"status": {"running": ["completed", "failed"], "completed": [], "failed": []}}

    stream_id: Mapped[UUID] = reference("ai_stream", "cascade", READ_ONLY, FILTERABLE, default=DERIVED)
    attempt_id: Mapped[UUID | None] = reference(
        "ai_attempt", "set null", READ_ONLY, FILTERABLE, note="the try that produced it"
    )
    step_number: Mapped[int] = integer(READ_ONLY, SORTABLE, min=1, max=10000, default=DERIVED)
    kind: Mapped[str] = enum(
        "text", "reasoning", "tool_call", "tool_result", flags=(READ_ONLY, FILTERABLE), default=DERIVED
    )
    text: Mapped[str | None] = long_text(READ_ONLY, max=100_000)
    tool_name: Mapped[str | None] = string(READ_ONLY, FILTERABLE, min=1, max=100)
    tool_call_id: Mapped[str | None] = string(READ_ONLY, min=1, max=100)
    tool_input: Mapped[dict[str, Any] | None] = json(READ_ONLY, shape="object")
    tool_output: Mapped[Any | None] = json(READ_ONLY)
    status: Mapped[str] = enum("running", "completed", "failed", flags=(READ_ONLY, FILTERABLE), default="running")
    input_tokens: Mapped[int] = integer(READ_ONLY, min=0, max=INTEGER_MAX, default=0)
    output_tokens: Mapped[int] = integer(READ_ONLY, min=0, max=INTEGER_MAX, default=0)
    started_at: Mapped[datetime] = timestamp(READ_ONLY, default=NOW)
    finished_at: Mapped[datetime | None] = timestamp(READ_ONLY)
