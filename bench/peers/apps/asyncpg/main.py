"""Contacts in FastAPI with asyncpg, by hand: one statement for a request and one for its caller, with the checks that
Rowgate makes. A session is looked up with its user and the membership that it acts by, a limit is counted in Redis, and
only contacts of that organization are seen."""

import gc
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from hashlib import sha256
from typing import Annotated, Any, NamedTuple
from uuid import UUID, uuid4

import asyncpg
import orjson
from fastapi import Depends, FastAPI, HTTPException, Query, Request, Response
from pydantic import BaseModel, EmailStr
from redis.asyncio import Redis

CALLER = """
SELECT users.id, members.organization_id
FROM sessions JOIN users ON users.id = sessions.user_id
JOIN members ON members.user_id = users.id AND members.organization_id = sessions.organization_id
WHERE sessions.digest = $1 AND sessions.expires_at > now() AND NOT users.disabled
"""
SHOWN = "id, first_name, last_name, email, phone, title, company_id, created_at, updated_at"
ITEM = f"SELECT {SHOWN} FROM contacts WHERE id = $1 AND organization_id = $2"
OWN, OF_COMPANY = "organization_id = $1", "organization_id = $1 AND company_id = $2"
COUNT = "SELECT count(*) FROM contacts WHERE "
CREATE = f"""
INSERT INTO contacts (id, organization_id, created_by_id, first_name, last_name, email, phone, title, company_id)
SELECT $1, organization_id, $2, $4, $5, $6, $7, $8, id FROM companies
WHERE id = $9 AND organization_id = $3 RETURNING {SHOWN}
"""
WINDOW = """
local count = redis.call('INCR', KEYS[1])
if count == 1 then redis.call('EXPIRE', KEYS[1], 60) end
return count
"""
LIMIT = 100_000_000


class ContactCreate(BaseModel):
    first_name: str
    last_name: str
    email: EmailStr
    phone: str | None = None
    title: str | None = None
    company_id: UUID


class ContactUpdate(BaseModel):
    first_name: str | None = None
    last_name: str | None = None
    email: EmailStr | None = None
    phone: str | None = None
    title: str | None = None


class Caller(NamedTuple):
    id: UUID
    organization: UUID


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[None]:
    host = os.environ["DATABASE_HOST"]
    app.state.pool = await asyncpg.create_pool(host=host, user="postgres", database="asyncpg", min_size=10, max_size=10)
    app.state.count = Redis.from_url(os.environ["REDIS_URL"]).register_script(WINDOW)
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 100)  # as Rowgate's workers have it
    yield
    await app.state.pool.close()


app = FastAPI(lifespan=lifespan)


async def current_caller(request: Request) -> Caller:
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() != "bearer":
        raise HTTPException(401, "Not authenticated")
    row = await app.state.pool.fetchrow(CALLER, sha256(token.encode()).digest())
    if row is None:
        raise HTTPException(401, "Could not validate credentials")
    if await app.state.count(keys=[f"limit:{row['id']}"]) > LIMIT:
        raise HTTPException(429, "Rate limit exceeded")
    return Caller(row["id"], row["organization_id"])


CurrentCaller = Annotated[Caller, Depends(current_caller)]


def encode(value: Any) -> str:
    return str(value)  # ids of asyncpg are a subclass that the encoder does not know


def answer(value: Any, status: int = 200) -> Response:
    return Response(orjson.dumps(value, encode), status, media_type="application/json")


@app.get("/contacts")
async def read_contacts(
    caller: CurrentCaller,
    skip: int = 0,
    limit: Annotated[int, Query(le=100)] = 20,
    company_id: UUID | None = None,
) -> Response:
    wanted, given = (OWN, ()) if company_id is None else (OF_COMPANY, (company_id,))
    rows = await app.state.pool.fetch(newest(wanted, skip, limit), caller.organization, *given)
    count = await app.state.pool.fetchval(COUNT + wanted, caller.organization, *given)
    return answer({"data": [dict(row) for row in rows], "count": count})


@app.get("/contacts/uncounted")
async def read_newest_contacts(
    caller: CurrentCaller, skip: int = 0, limit: Annotated[int, Query(le=100)] = 20
) -> Response:
    rows = await app.state.pool.fetch(newest(OWN, skip, limit), caller.organization)
    return answer([dict(row) for row in rows])


@app.get("/contacts/{contact_id}")
async def read_contact(contact_id: UUID, caller: CurrentCaller) -> Response:
    row = await app.state.pool.fetchrow(ITEM, contact_id, caller.organization)
    if row is None:
        raise HTTPException(404, "Contact not found")
    return answer(dict(row))


@app.post("/contacts")
async def create_contact(given: ContactCreate, caller: CurrentCaller) -> Response:
    values = (given.first_name, given.last_name, given.email, given.phone, given.title, given.company_id)
    try:
        row = await app.state.pool.fetchrow(CREATE, uuid4(), caller.id, caller.organization, *values)
    except asyncpg.UniqueViolationError:
        raise HTTPException(409, "There is a contact with this address") from None
    if row is None:
        raise HTTPException(400, "Company not found")
    return answer(dict(row), 201)


@app.patch("/contacts/{contact_id}")
async def update_contact(contact_id: UUID, given: ContactUpdate, caller: CurrentCaller) -> Response:
    values = given.model_dump(exclude_unset=True)
    try:
        statement = update_of(tuple(values))
        row = await app.state.pool.fetchrow(statement, contact_id, caller.organization, *values.values())
    except asyncpg.UniqueViolationError:
        raise HTTPException(409, "There is a contact with this address") from None
    if row is None:
        raise HTTPException(404, "Contact not found")
    return answer(dict(row))


def newest(wanted: str, skip: int, limit: int) -> str:
    """The statement of a page: numbers that the planner sees, of which there are few."""
    return f"SELECT {SHOWN} FROM contacts WHERE {wanted} ORDER BY created_at DESC, id DESC OFFSET {skip} LIMIT {limit}"


@cache
def update_of(names: tuple[str, ...]) -> str:
    changes = "".join(f", {name} = ${number}" for number, name in enumerate(names, 3))
    return f"""
        UPDATE contacts SET updated_at = now(){changes} WHERE id = $1 AND organization_id = $2 RETURNING {SHOWN}
    """
