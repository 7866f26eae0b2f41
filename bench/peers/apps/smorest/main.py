"""Contacts in flask-smorest, as the quickstarts of flask-smorest, Flask-SQLAlchemy and Flask-JWT-Extended write it."""

import gc
import os
import uuid
from datetime import UTC, datetime

from flask import Flask
from flask.views import MethodView
from flask_jwt_extended import JWTManager, current_user, jwt_required
from flask_smorest import Api, Blueprint, Page
from flask_sqlalchemy import SQLAlchemy
from marshmallow import Schema, fields
from sqlalchemy import DateTime, ForeignKey, Index, UniqueConstraint
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column


class Base(DeclarativeBase):
    pass


db = SQLAlchemy(model_class=Base)
jwt = JWTManager()


class User(db.Model):
    __tablename__ = "users"
    id: Mapped[uuid.UUID] = mapped_column(primary_key=True, default=uuid.uuid4)
    email: Mapped[str] = mapped_column(unique=True)
    disabled: Mapped[bool] = mapped_column(default=False)


class Company(db.Model):
    __tablename__ = "companies"
    id: Mapped[uuid.UUID] = mapped_column(primary_key=True, default=uuid.uuid4)
    owner_id: Mapped[uuid.UUID] = mapped_column(ForeignKey("users.id"), index=True)
    name: Mapped[str]


class Contact(db.Model):
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


class ContactSchema(Schema):
    id = fields.UUID(dump_only=True)
    first_name = fields.String(required=True)
    last_name = fields.String(required=True)
    email = fields.Email(required=True)
    phone = fields.String(allow_none=True)
    title = fields.String(allow_none=True)
    company_id = fields.UUID(required=True)
    created_at = fields.DateTime(dump_only=True)
    updated_at = fields.DateTime(dump_only=True)


class ContactQuerySchema(Schema):
    company_id = fields.UUID()


class QueryPage(Page):
    @property
    def item_count(self):
        return self.collection.count()


blp = Blueprint("contacts", __name__, url_prefix="/contacts", description="Operations on contacts")


def own(contact_id):
    return Contact.query.filter_by(id=contact_id, owner_id=current_user.id).first_or_404()


@blp.route("")
class Contacts(MethodView):
    @jwt_required()
    @blp.arguments(ContactQuerySchema, location="query")
    @blp.response(200, ContactSchema(many=True))
    @blp.paginate(QueryPage, page_size=20)
    def get(self, args):
        wanted = Contact.query.filter_by(owner_id=current_user.id, **args)
        return wanted.order_by(Contact.created_at.desc(), Contact.id.desc())

    @jwt_required()
    @blp.arguments(ContactSchema)
    @blp.response(201, ContactSchema)
    def post(self, new_data):
        contact = Contact(**new_data, owner_id=current_user.id)
        db.session.add(contact)
        db.session.commit()
        return contact


class UncountedBlueprint(Blueprint):
    """Without the header, pagination asks for no count."""

    PAGINATION_HEADER_NAME = None


uncounted = UncountedBlueprint("uncounted", __name__, url_prefix="/contacts/uncounted")


@uncounted.route("")
class UncountedContacts(MethodView):
    @jwt_required()
    @uncounted.response(200, ContactSchema(many=True))
    @uncounted.paginate(page_size=20)
    def get(self, pagination_parameters):
        newest = Contact.query.filter_by(owner_id=current_user.id).order_by(
            Contact.created_at.desc(), Contact.id.desc()
        )
        return newest.slice(pagination_parameters.first_item, pagination_parameters.last_item + 1)


@blp.route("/<uuid:contact_id>")
class ContactById(MethodView):
    @jwt_required()
    @blp.response(200, ContactSchema)
    def get(self, contact_id):
        return own(contact_id)

    @jwt_required()
    @blp.arguments(ContactSchema(partial=True))
    @blp.response(200, ContactSchema)
    def put(self, update_data, contact_id):
        contact = own(contact_id)
        for name, value in update_data.items():
            setattr(contact, name, value)
        db.session.add(contact)
        db.session.commit()
        return contact


@jwt.user_lookup_loader
def user_lookup(_header, payload):
    user = db.session.get(User, uuid.UUID(payload["sub"]))
    return None if user is None or user.disabled else user


def create_app():
    app = Flask(__name__)
    app.config.update(
        API_TITLE="Contacts",
        API_VERSION="v1",
        OPENAPI_VERSION="3.0.2",
        JWT_SECRET_KEY=os.environ["SECRET_KEY"],
        SQLALCHEMY_DATABASE_URI=f"postgresql+psycopg://postgres@/smorest?host={os.environ['DATABASE_HOST']}",
    )
    db.init_app(app)
    jwt.init_app(app)
    api = Api(app)
    api.register_blueprint(blp)
    api.register_blueprint(uncounted)
    gc.freeze()
    gc.set_threshold(10_000, 20, 100)  # as Rowgate's workers have it
    return app


if __name__ == "__main__":
    with create_app().app_context():
        db.create_all()
