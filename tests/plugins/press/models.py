"""Articles, comments, desks and their people: every way in which rules combine."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy.orm import Mapped

from rowgate import (
    CALLER_ORGANIZATION,
    CALLER_USER,
    FILTERABLE,
    IMMUTABLE,
    READ_ONLY,
    SCOPE_READS,
    SORTABLE,
    AllOf,
    AnyOf,
    MembersOf,
    Organization,
    Owner,
    Parent,
    Policy,
    Record,
    Rule,
    Scope,
    Through,
    Where,
    enum,
    integer,
    reference,
    string,
    unique,
)

AUTHOR = Owner("author_id")
STATES = ("draft", "published")


class PressArticle(Record):
    """An article: its author's until it is published, then everybody's to read."""

    __tablename__ = "press_article"
    domain, segment, plural = "press", "article", "pressArticles"
    policy = Policy(
        readers=AnyOf(AUTHOR, Where(status="published")), writers=AUTHOR, anonymous=True, anonymous_search=True
    )
    searchable = ("title",)

    author_id: Mapped[UUID] = reference("auth_user", "cascade", READ_ONLY, FILTERABLE, default=CALLER_USER)
    title: Mapped[str] = string(FILTERABLE, SORTABLE, min=1, max=100)
    status: Mapped[str] = enum(*STATES, flags=(FILTERABLE,), default="draft")
    remark: Mapped[str] = string(FILTERABLE, SORTABLE, max=200, default="", read=AUTHOR)


class PressComment(Record):
    """A comment: its author's to change, and to be read where its article is."""

    __tablename__ = "press_comment"
    domain, segment, plural = "press", "comment", "pressComments"
    policy = Policy(readers=AnyOf(AUTHOR, Through("article_id")), writers=AUTHOR, anonymous=True, anonymous_many=True)

    author_id: Mapped[UUID] = reference("auth_user", "cascade", READ_ONLY, FILTERABLE, default=CALLER_USER)
    article_id: Mapped[UUID] = reference("press_article", "cascade", IMMUTABLE, FILTERABLE)
    text: Mapped[str] = string(min=1, max=1000)
    aside: Mapped[str] = string(SCOPE_READS, max=100, default="")


class PressStaff(Record):
    """Somebody who works at a desk."""

    __tablename__ = "press_staff"
    domain, segment, plural = "press", "staff", "pressStaff"
    policy = Policy(Parent("desk_id"))
    keys = (unique("desk_id", "user_id"),)

    desk_id: Mapped[UUID] = reference("press_desk", "cascade", IMMUTABLE, FILTERABLE)
    user_id: Mapped[UUID] = reference("auth_user", "cascade", IMMUTABLE, FILTERABLE)
    role: Mapped[str] = enum("editor", "reader", flags=(FILTERABLE,), default="reader")


class PressDesk(Record):
    """A desk: read by its staff, changed by its editors and whoever founded it."""

    __tablename__ = "press_desk"
    domain, segment, plural = "press", "desk", "pressDesks"
    policy = Policy(
        readers=AnyOf(Owner("founder_id"), MembersOf(PressStaff, "desk_id")),
        writers=AnyOf(Owner("founder_id"), MembersOf(PressStaff, "desk_id", role=["editor"])),
        shares=True,
    )

    founder_id: Mapped[UUID] = reference("auth_user", "cascade", READ_ONLY, FILTERABLE, default=CALLER_USER)
    name: Mapped[str] = string(FILTERABLE, min=1, max=100)


class PressOrder(Record):
    """An order of an organization: changed until it is sent, its budget set by managers."""

    __tablename__ = "press_order"
    domain, segment, plural = "press", "order", "pressOrders"
    policy = Policy(
        readers=Organization("organization_id"),
        writers=AllOf(Organization("organization_id"), Where(state=["open", "asked"])),
        shares=True,
    )

    organization_id: Mapped[UUID] = reference(
        "auth_organization", "cascade", IMMUTABLE, FILTERABLE, default=CALLER_ORGANIZATION
    )
    name: Mapped[str] = string(min=1, max=100)
    state: Mapped[str] = enum("open", "asked", "sent", flags=(FILTERABLE,), default="open")
    budget: Mapped[int | None] = integer(
        FILTERABLE, min=0, max=10**9, write=Organization("organization_id", write=Rule.MANAGERS)
    )


class PressNotice(Record):
    """A notice: of its author, or of everybody who comes when it is published, in plain lists too."""

    __tablename__ = "press_notice"
    domain, segment, plural = "press", "notice", "pressNotices"
    policy = Policy(Owner("author_id", public={"status": ["published"]}), listed="visible")

    author_id: Mapped[UUID] = reference("auth_user", "cascade", READ_ONLY, FILTERABLE, default=CALLER_USER)
    text: Mapped[str] = string(min=1, max=100)
    status: Mapped[str] = enum(*STATES, flags=(FILTERABLE,), default="draft")


class EvenSizes(Scope):
    """Rows of an even size: a scope of one's own."""

    def own(self, model, reader):
        return model.size % 2 == 0


class PressPage(Record):
    """A page: everybody's of an even size, and its author's."""

    __tablename__ = "press_page"
    domain, segment, plural = "press", "page", "pressPages"
    policy = Policy(readers=AnyOf(AUTHOR, EvenSizes()), writers=AUTHOR)

    author_id: Mapped[UUID] = reference("auth_user", "cascade", READ_ONLY, FILTERABLE, default=CALLER_USER)
    size: Mapped[int] = integer(FILTERABLE, min=1, max=1000)


class PressBoard(Record):
    """A board: read by everybody while it is open, and changed by managers."""

    __tablename__ = "press_board"
    domain, segment, plural = "press", "board", "pressBoards"
    policy = Policy(
        AnyOf(Organization("organization_id"), Where(state="open")), update=Rule.MANAGERS, delete=Rule.MANAGERS
    )

    organization_id: Mapped[UUID] = reference(
        "auth_organization", "cascade", IMMUTABLE, FILTERABLE, default=CALLER_ORGANIZATION
    )
    state: Mapped[str] = enum("open", "shut", flags=(FILTERABLE,), default="open")


class PressRemark(Record):
    """A remark on an order, of its author or of whoever reads the order."""

    __tablename__ = "press_remark"
    domain, segment, plural = "press", "remark", "pressRemarks"
    policy = Policy(readers=AnyOf(AUTHOR, Through("order_id")), writers=AUTHOR)

    author_id: Mapped[UUID] = reference("auth_user", "cascade", READ_ONLY, FILTERABLE, default=CALLER_USER)
    order_id: Mapped[UUID] = reference("press_order", "cascade", IMMUTABLE, FILTERABLE)
    text: Mapped[str] = string(min=1, max=1000)


class PressForm(Record):
    """A form that anybody writes by while it is open."""

    __tablename__ = "press_form"
    domain, segment, plural = "press", "form", "pressForms"
    policy = Policy(Organization("organization_id", public={"state": ["open"]}), anonymous=True)

    organization_id: Mapped[UUID] = reference(
        "auth_organization", "cascade", IMMUTABLE, FILTERABLE, default=CALLER_ORGANIZATION
    )
    title: Mapped[str] = string(FILTERABLE, min=1, max=100)
    state: Mapped[str] = enum("open", "shut", flags=(FILTERABLE,), default="open")


class PressInquiry(Record):
    """What came by a form: read by the organization, answered by its managers."""

    __tablename__ = "press_inquiry"
    domain, segment, plural = "press", "inquiry", "pressInquiries"
    policy = Policy(Organization("organization_id", write=Rule.MANAGERS), anonymous_create=True)

    organization_id: Mapped[UUID] = reference(
        "auth_organization", "cascade", IMMUTABLE, FILTERABLE, default=CALLER_ORGANIZATION
    )
    form_id: Mapped[UUID] = reference("press_form", "cascade", IMMUTABLE, FILTERABLE)
    reader_id: Mapped[UUID | None] = reference("auth_user", "set null", FILTERABLE)
    text: Mapped[str] = string(min=1, max=1000)
    rank: Mapped[int | None] = integer(min=0, max=9, write=Organization("organization_id", write=Rule.MANAGERS))


class PressLetter(Record):
    """A letter: its author's while it is open and whole."""

    __tablename__ = "press_letter"
    domain, segment, plural = "press", "letter", "pressLetters"
    policy = Policy(readers=AllOf(AUTHOR, Where(state="open", seal="whole")), writers=AUTHOR)

    author_id: Mapped[UUID] = reference("auth_user", "cascade", READ_ONLY, FILTERABLE, default=CALLER_USER)
    state: Mapped[str] = enum("open", "shut", flags=(FILTERABLE,), default="open")
    seal: Mapped[str] = enum("whole", "broken", flags=(FILTERABLE,), default="whole")


class PressSheet(Record):
    """A sheet: made and changed by admins, and read by everybody while it is open and whole."""

    __tablename__ = "press_sheet"
    domain, segment, plural = "press", "sheet", "pressSheets"
    policy = Policy(
        readers=AllOf(Where(state="open"), Where(seal="whole")), writers=Where(state="open"),
        create=Rule.ADMIN, update=Rule.ADMIN, delete=Rule.ADMIN,
    )  # fmt: skip

    state: Mapped[str] = enum("open", "shut", flags=(FILTERABLE,), default="open")
    seal: Mapped[str] = enum("whole", "broken", flags=(FILTERABLE,), default="whole")


class PressTip(Record):
    """A tip about an article: of whoever reads that, to write as well, and removed by admins."""

    __tablename__ = "press_tip"
    domain, segment, plural = "press", "tip", "pressTips"
    policy = Policy(Through("article_id"), delete=Rule.ADMIN)

    article_id: Mapped[UUID] = reference("press_article", "cascade", IMMUTABLE, FILTERABLE)
    text: Mapped[str] = string(min=1, max=1000)
