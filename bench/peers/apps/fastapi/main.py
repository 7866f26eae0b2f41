"""Contacts in FastAPI, as its tutorial and SQLAlchemy's asyncio documentation write it."""

import gc
import os
import uuid
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Annotated

import jwt
from fastapi import Depends, FastAPI, HTTPException, Query, Request
from fastapi.security import OAuth2PasswordBearer
from pydantic import BaseModel, ConfigDict, EmailStr
from sqlalchemy import DateTime, ForeignKey, Index, UniqueConstraint, func, select
from sqlalchemy.ext.asyncio import AsyncSession, async_sessionmaker, create_async_engine
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

# As many connections for each process as Rowgate keeps, and reads that commit by themselves, as there.
engine = create_async_engine(
    f"postgresql+asyncpg://postgres@/fastapi?host={os.environ['DATABASE_HOST']}", pool_size=20, max_overflow=0
)
make_session = async_sessionmaker(engine, expire_on_commit=False)
make_reading_session = async_sessionmaker(engine.execution_options(isolation_level="AUTOCOMMIT"))
bearer = OAuth2PasswordBearer(tokenUrl="token")
app = FastAPI()


class Base(DeclarativeBase):
    pass


class User(Base):
    __tablename__ = "users"
    id: Mapped[uuid.UUID] = mapped_column(primary_key=True, default=uuid.uuid4)
    email: Mapped[str] = mapped_column(unique=True)
    disabled: Mapped[bool] = mapped_column(default=False)


class Company(Base):
    __tablename__ = "companies"
    id: Mapped[uuid.UUID] = mapped_column(primary_key=True, default=uuid.uuid4)
    owner_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("users.id"), index=True)
    name: Mapped[str]


class Contact(Base):
    __tablename__ = "contacts"
    __table_args__ = (
        UniqueConstraint("owner_id", "email"),
        Index("contacts_newest", "owner_id", "created_at", "id"),
        Index("contacts_company", "company_id", "created_at", "id"),
    )
    id: Mapped[uuid.UUID] = mapped_column(primary_key=True, default=uuid.uuid4)
    owner_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("users.id"), index=True)
    first_name: Mapped[str]
    last_name: Mapped[str]
    email: Mapped[str]
    phone: Mapped[str | None]
    title: Mapped[str | None]
    company_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("companies.id"))
    created_at: Mapped[datetime] = mapped_column(DateTime(timezone=True), default=lambda: datetime.now(UTC))
    updated_at: Mapped[datetime] = mapped_column(
        DateTime(timezone=True), default=lambda: datetime.now(UTC), onupdate=lambda: datetime.now(UTC)
    )


class ContactBase(BaseModel):
    first_name: str
    last_name: str
    email: str
    phone: str | None = None
    title: str | None = None
    company_id: uuid.UUID


class ContactCreate(ContactBase):
    email: EmailStr


class ContactUpdate(BaseModel):
    first_name: str | None = None
    last_name: str | None = None
    email: EmailStr | None = None
    phone: str | None = None
    title: str | None = None
    company_id: uuid.UUID | None = None


class ContactPublic(ContactBase):
    model_config = ConfigDict(from_attributes=True)
    id: uuid.UUID
    created_at: datetime
    updated_at: datetime


class ContactsPublic(BaseModel):
    data: list[ContactPublic]
    count: int


async def get_session(request: Request) -> AsyncIterator[AsyncSession]:
    async with make_reading_session() if request.method == "GET" else make_session() as session:
        yield session


Session = Annotated[AsyncSession, Depends(get_session)]


async def get_current_user(session: Session, token: Annotated[str, Depends(bearer)]) -> User:
    try:
        payload = jwt.decode(token, os.environ["SECRET_KEY"], algorithms=["HS256"])
    except jwt.InvalidTokenError as error:
        raise HTTPException(401, "Could not validate credentials") from error
    user = await session.get(User, uuid.UUID(payload["sub"]))
    if user is None or user.disabled:
        raise HTTPException(401, "Could not validate credentials")
    return user


CurrentUser = Annotated[User, Depends(get_current_user)]


async def own(session: AsyncSession, user: User, contact_id: uuid.UUID) -> Contact:
    contact = await session.scalar(select(Contact).where(Contact.id == contact_id, Contact.owner_id == user.id))
    if contact is None:
        raise HTTPException(404, "Contact not found")
    return contact


@app.get("/contacts")
async def read_contacts(
    session: Session,
    user: CurrentUser,
    skip: int = 0,
    limit: Annotated[int, Query(le=100)] = 20,
    company_id: uuid.UUID | None = None,
) -> ContactsPublic:
    wanted = [Contact.owner_id == user.id]
    if company_id is not None:
        wanted.append(Contact.company_id == company_id)
    count = await session.scalar(select(func.count()).select_from(Contact).where(*wanted))
    newest = (Contact.created_at.desc(), Contact.id.desc())
    found = await session.scalars(select(Contact).where(*wanted).order_by(*newest).offset(skip).limit(limit))
    return ContactsPublic(data=[ContactPublic.model_validate(each) for each in found], count=count or 0)


@app.get("/contacts/uncounted")
async def read_newest_contacts(
    session: Session, user: CurrentUser, skip: int = 0, limit: Annotated[int, Query(le=100)] = 20
) -> list[ContactPublic]:
    newest = (Contact.created_at.desc(), Contact.id.desc())
    wanted = select(Contact).where(Contact.owner_id == user.id).order_by(*newest).offset(skip).limit(limit)
    return [ContactPublic.model_validate(each) for each in await session.scalars(wanted)]


@app.get("/contacts/{contact_id}", response_model=ContactPublic)
async def read_contact(contact_id: uuid.UUID, session: Session, user: CurrentUser) -> Contact:
    return await own(session, user, contact_id)


@app.post("/contacts", response_model=ContactPublic, status_code=201)
async def create_contact(given: ContactCreate, session: Session, user: CurrentUser) -> Contact:
    contact = Contact(**given.model_dump(), owner_id=user.id)
    session.add(contact)
    await session.commit()
    return contact


@app.patch("/contacts/{contact_id}", response_model=ContactPublic)
async def update_contact(contact_id: uuid.UUID, given: ContactUpdate, session: Session, user: CurrentUser) -> Contact:
    contact = await own(session, user, contact_id)
    for name, value in given.model_dump(exclude_unset=True).items():
        setattr(contact, name, value)
    session.add(contact)
    await session.commit()
    return contact


gc.freeze()
gc.set_threshold(10_000, 20, 100)  # as Rowgate's workers have it


async def make_tables() -> None:
    async with engine.begin() as connection:
        await connection.run_sync(Base.metadata.create_all)


if __name__ == "__main__":
    import asyncio

    asyncio.run(make_tables())
